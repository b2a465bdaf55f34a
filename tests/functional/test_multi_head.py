import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook import Projections, causal_mask, multi_head_attention, padding_mask
from tests.functional import oracle
from tests.functional.inputs import DV, B, D, H, L, S, draw, draw_mask

WIDTH = 17  # d_model, one more prime


def draw_projections(*, n_heads=H, width=WIDTH, biased=True):
    """Draw the matrices, and with them the biases."""
    columns = {"query": n_heads * D, "key": n_heads * D, "value": n_heads * DV, "output": width}
    rows = {"query": width, "key": width, "value": width, "output": n_heads * DV}
    arrays = {f"w_{n}": draw(rows[n], columns[n], seed=i) / 4 for i, n in enumerate(rows)}
    if biased:
        arrays |= {f"b_{n}": draw(columns[n], seed=i) for i, n in enumerate(rows)}
    return Projections(**arrays)


def draw_inputs(*leading, n_query=L, n_key=S):
    return (
        draw(*leading, n_query, WIDTH, seed=1),
        draw(*leading, n_key, WIDTH, seed=2),
        draw(*leading, n_key, WIDTH, seed=3),
    )


def convert(library, projections, dtype=None):
    arrays = (None if a is None else library.asarray(a, dtype) for a in projections)
    return Projections(*arrays)


def attend(library, *inputs, projections, n_heads=H, mask=None):
    """Call the package on the library's arrays; NumPy in, NumPy out."""
    output = multi_head_attention(
        *map(library.asarray, inputs),
        convert(library, projections),
        n_heads,
        mask=None if mask is None else library.asarray(mask),
    )
    return library.to_numpy(output)


def project(x, matrix, bias):
    """Multiply rows by a matrix, number by number."""
    projected = []
    for row in x:
        new = [0.0 if bias is None else bias[c] for c in range(len(matrix[0]))]
        for r in range(len(row)):
            for c in range(len(new)):
                new[c] += row[r] * matrix[r][c]
        projected.append(new)
    return projected


def by_loops(query, key, value, projections, n_heads, mask=None):
    """Vaswani et al. 2017, section 3.2.2, one sequence: lists of rows in, lists of rows out."""
    p = Projections(*(None if array is None else array.tolist() for array in projections))
    concatenated = [[] for _ in query]
    for h in range(n_heads):

        def head(x, matrix, bias, h=h):
            width = len(matrix[0]) // n_heads
            columns = range(h * width, (h + 1) * width)
            own = [[row[c] for c in columns] for row in matrix]
            return project(x, own, None if bias is None else [bias[c] for c in columns])

        output = oracle.attention(
            head(query, p.w_query, p.b_query),
            head(key, p.w_key, p.b_key),
            head(value, p.w_value, p.b_value),
            None if mask is None else mask[h],
        )
        for row, part in zip(concatenated, output, strict=True):
            row.extend(part)
    return project(concatenated, p.w_output, p.b_output)


def expected(query, key, value, projections, n_heads=H, mask=None):
    """Run the loops on every sequence of a batch."""
    if mask is not None:
        mask = np.broadcast_to(mask, (*query.shape[:-2], n_heads, query.shape[-2], key.shape[-2]))
    outputs = [
        by_loops(
            query[at].tolist(),
            key[at].tolist(),
            value[at].tolist(),
            projections,
            n_heads,
            None if mask is None else mask[at].tolist(),
        )
        for at in np.ndindex(query.shape[:-2])
    ]
    return np.array(outputs).reshape(*query.shape[:-1], -1)


# -- the formula ----------------------------------------------------------------------------------

MASK_SHAPES = [
    None, (), (S,), (1, S), (L, S), (1, 1, S), (1, 1, L, S), (B, 1, 1, S), (B, 1, L, S),
    (1, H, L, S), (B, H, 1, S), (B, H, L, S),
]  # fmt: skip


@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
@pytest.mark.parametrize("biased", [True, False], ids=["biases", "no biases"])
def test_equals_the_formula(library, shape, biased):
    inputs, projections = draw_inputs(B), draw_projections(biased=biased)
    mask = None if shape is None else np.array(draw_mask(*shape))
    output = attend(library, *inputs, projections=projections, mask=mask)
    assert_allclose(output, expected(*inputs, projections, mask=mask), rtol=0, atol=1e-12)


@pytest.mark.parametrize("leading", [(), (B,), (2, 1, 3)], ids=str)
@pytest.mark.parametrize("n_heads", [1, H, D])
def test_any_number_of_leading_axes_and_heads(library, leading, n_heads):
    inputs, projections = draw_inputs(*leading), draw_projections(n_heads=n_heads)
    output = attend(library, *inputs, projections=projections, n_heads=n_heads)
    assert_allclose(output, expected(*inputs, projections, n_heads), rtol=0, atol=1e-12)


def test_a_mask_for_one_sequence_may_differ_by_head(library):
    inputs, projections, mask = draw_inputs(), draw_projections(), draw_mask(H, L, S)
    output = attend(library, *inputs, projections=projections, mask=mask)
    assert_allclose(output, expected(*inputs, projections, mask=mask), rtol=0, atol=1e-12)


# -- properties -----------------------------------------------------------------------------------


def test_many_heads_equal_as_many_runs_with_one_head(library):
    inputs, p = draw_inputs(B), draw_projections()
    together = attend(library, *inputs, projections=p)
    summed = np.zeros_like(together) + p.b_output
    for h in range(H):
        own, rows = slice(h * D, (h + 1) * D), slice(h * DV, (h + 1) * DV)
        one = Projections(
            p.w_query[:, own], p.w_key[:, own], p.w_value[:, rows], p.w_output[rows],
            p.b_query[own], p.b_key[own], p.b_value[rows],
        )  # fmt: skip
        summed += attend(library, *inputs, projections=one, n_heads=1)
    assert_allclose(together, summed, rtol=0, atol=1e-12)


def test_scores_are_divided_by_the_root_of_the_head_width(library):
    # two heads of width 4 in which the query scores 4 with the first key and 0 with the second
    query, key, value = np.ones((1, 1)), np.eye(2)[:, :1], np.eye(2)[:, :1]
    w_query = 4 * np.eye(4)[[0, 0]].reshape(1, 8)
    w_key, w_value = np.ones((1, 8)), np.ones((1, 2))
    projections = Projections(w_query, w_key, w_value, np.full((2, 1), 0.5))
    output = attend(library, query, key, value, projections=projections, n_heads=2)
    # the root of 4 is 2, so the scores are 2 and 0; the root of the width of both is not
    assert_allclose(output, [[1 / (1 + np.exp(-2.0))]], rtol=1e-14)


def test_order_of_the_heads_does_not_matter(library):
    inputs, p = draw_inputs(B), draw_projections()
    order = np.array([2, 0, 1])
    keys = (order[:, None] * D + np.arange(D)).ravel()
    values = (order[:, None] * DV + np.arange(DV)).ravel()
    shuffled = Projections(
        p.w_query[:, keys], p.w_key[:, keys], p.w_value[:, values], p.w_output[values],
        p.b_query[keys], p.b_key[keys], p.b_value[values], p.b_output,
    )  # fmt: skip
    assert_allclose(
        attend(library, *inputs, projections=shuffled),
        attend(library, *inputs, projections=p),
        atol=1e-13,
    )


def test_a_bias_of_the_keys_changes_nothing(library):
    # it adds the same number to all scores of a row
    inputs, projections = draw_inputs(B), draw_projections()
    without = attend(library, *inputs, projections=projections._replace(b_key=None))
    assert_allclose(without, attend(library, *inputs, projections=projections), atol=1e-13)


@pytest.mark.parametrize("chunks", [[1] * S, [3, 4], [6, 1]], ids=str)
def test_decoding_in_chunks_equals_the_whole(library, chunks):
    x, projections = draw(B, S, WIDTH), draw_projections()
    whole = attend(library, x, x, x, projections=projections, mask=causal_mask(S))
    ends = np.cumsum(chunks).tolist()
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        past = x[:, :end]
        mask = causal_mask(end - start, end)
        step = attend(library, x[:, start:end], past, past, projections=projections, mask=mask)
        assert_allclose(step, whole[:, start:end], atol=1e-13)


def test_padding_counts_as_absent(library):
    query, key, value = draw_inputs(B)
    projections, lengths = draw_projections(), np.array([S, 3])
    mask = padding_mask(lengths[:, None], S)
    padded = attend(library, query, key, value, projections=projections, mask=mask)
    for b, n in enumerate(lengths):
        inputs = query[b], key[b, :n], value[b, :n]
        assert_allclose(padded[b], attend(library, *inputs, projections=projections), atol=1e-13)


# -- edges ----------------------------------------------------------------------------------------


def test_a_query_without_keys_gets_the_last_bias(library):
    inputs, projections = draw_inputs(B), draw_projections()
    mask = np.arange(L)[:, None] != np.full((1, S), 2)
    output = attend(library, *inputs, projections=projections, mask=mask)
    assert_array_equal(output[:, 2], np.broadcast_to(projections.b_output, (B, WIDTH)))
    plain = draw_projections(biased=False)
    assert_array_equal(attend(library, *inputs, projections=plain, mask=mask)[:, 2], 0)


def test_what_nobody_may_look_at_does_not_reach_the_result(library):
    query, key, value = draw_inputs(B)
    mask = np.arange(S) != 4
    clean = attend(library, query, key, value, projections=draw_projections(), mask=mask)
    key[:, 4], value[:, 4] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        dirty = attend(library, query, key, value, projections=draw_projections(), mask=mask)
    assert_array_equal(dirty, clean)


@pytest.mark.parametrize(
    ("leading", "n_query", "n_key"), [((0,), L, S), ((B,), 0, S), ((B,), L, 0), ((B,), 0, 0)]
)
def test_axes_of_length_zero(library, leading, n_query, n_key):
    inputs = draw_inputs(*leading, n_query=n_query, n_key=n_key)
    output = attend(library, *inputs, projections=draw_projections())
    assert output.shape == (*leading, n_query, WIDTH)
    if n_key == 0:
        assert_array_equal(output, np.broadcast_to(draw_projections().b_output, output.shape))


def test_leading_axes_of_one_are_shared(library):
    query, key, value = draw(B, L, WIDTH), draw(1, S, WIDTH), draw(1, S, WIDTH)
    shared = attend(library, query, key, value, projections=draw_projections())
    copies = [np.broadcast_to(array, (B, S, WIDTH)).copy() for array in (key, value)]
    repeated = attend(library, query, *copies, projections=draw_projections())
    assert_allclose(shared, repeated, atol=1e-13)


# -- dtype, device, inputs ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keeps_the_dtype(library, dtype):
    query, key, value = (library.asarray(array, dtype) for array in draw_inputs(B))
    projections = convert(library, draw_projections(), dtype)
    mask = library.asarray(draw_mask(L, S))
    output = multi_head_attention(query, key, value, projections, H, mask=mask)
    assert output.dtype == query.dtype


def test_keeps_the_device_of_array_api_strict():
    strict = pytest.importorskip("array_api_strict")
    device = strict.Device("device1")
    inputs = [strict.asarray(array, device=device) for array in draw_inputs(B)]
    projections = Projections(*(strict.asarray(a, device=device) for a in draw_projections()))
    mask = causal_mask(L, S, like=inputs[0])
    assert multi_head_attention(*inputs, projections, H, mask=mask).device == device


def test_keeps_the_device_of_torch(torch):
    inputs, projections = (
        [torch.asarray(array).to("meta", torch.bfloat16) for array in arrays]
        for arrays in (draw_inputs(B), draw_projections())
    )
    mask = causal_mask(L, S, like=inputs[0])
    output = multi_head_attention(*inputs, Projections(*projections), H, mask=mask)
    assert output.device.type == "meta"
    assert output.dtype == torch.bfloat16


def test_leaves_its_inputs_alone(library):
    before = [*draw_inputs(B), *draw_projections(), draw_mask(L, S)]
    arrays = [library.asarray(array) for array in before]
    multi_head_attention(*arrays[:3], Projections(*arrays[3:-1]), H, mask=arrays[-1])
    for array, old in zip(arrays, before, strict=True):
        assert_array_equal(library.to_numpy(array), old)


def test_reads_arrays_that_refuse_to_be_written():
    arrays = [*draw_inputs(B), *draw_projections(), draw_mask(L, S)]
    for array in arrays:
        array.setflags(write=False)
    multi_head_attention(*arrays[:3], Projections(*arrays[3:-1]), H, mask=arrays[-1])


# -- gradients, witnesses -------------------------------------------------------------------------


@pytest.mark.parametrize("mask", [None, draw_mask(3, 4), np.zeros((3, 4), bool)], ids=str)
def test_gradients(torch, torch_device, mask):
    shapes = [(2, 3, 4), (2, 4, 4), (2, 4, 4), (4, 2), (4, 2), (4, 6), (6, 4), 2, 2, 6, 4]
    arrays = [draw(*np.atleast_1d(shape)) for shape in shapes]
    arrays = [torch.asarray(array, device=torch_device).requires_grad_() for array in arrays]
    mask = None if mask is None else torch.asarray(mask, device=torch_device)

    def function(query, key, value, *projections):
        return multi_head_attention(query, key, value, Projections(*projections), 2, mask=mask)

    assert torch.autograd.gradcheck(function, arrays)


@pytest.mark.parametrize("mask", [None, draw_mask(B, H, L, S)], ids=["no mask", "mask"])
def test_agrees_with_torch(torch, torch_device, mask):
    # torch's function wants equal widths and its own kind of mask
    width = H * D
    inputs = [torch.asarray(draw(B, n, width, seed=n), device=torch_device) for n in (L, S, S)]
    matrices = [
        torch.asarray(draw(width, width, seed=i) / 6, device=torch_device) for i in range(4)
    ]
    biases = [torch.asarray(draw(width, seed=i), device=torch_device) for i in range(4)]
    hidden = None
    if mask is not None:
        mask[..., 0, :] = True  # torch makes nan of a query without keys
        mask = torch.asarray(mask, device=torch_device)
        hidden = ~mask.flatten(0, 1)
    theirs, _ = torch.nn.functional.multi_head_attention_forward(
        *(x.transpose(0, 1) for x in inputs), width, H,
        in_proj_weight=torch.cat([w.mT for w in matrices[:3]]), in_proj_bias=torch.cat(biases[:3]),
        bias_k=None, bias_v=None, add_zero_attn=False, dropout_p=0.0,
        out_proj_weight=matrices[3].mT, out_proj_bias=biases[3], attn_mask=hidden,
    )  # fmt: skip
    ours = multi_head_attention(*inputs, Projections(*matrices, *biases), H, mask=mask)
    torch.testing.assert_close(ours, theirs.transpose(0, 1), rtol=0, atol=1e-11)


@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a .functools.lru_cache")
def test_compiles_without_a_graph_break(torch):
    if hasattr(multi_head_attention, "__wrapped__"):
        pytest.skip("the checks of jaxtyping are not for torch.compile")
    inputs = [torch.asarray(array) for array in draw_inputs(B)]
    projections = Projections(*map(torch.asarray, draw_projections()))
    mask = torch.asarray(draw_mask(L, S))
    compiled = torch.compile(multi_head_attention, fullgraph=True, backend="eager")
    torch.testing.assert_close(
        compiled(*inputs, projections, H, mask=mask),
        multi_head_attention(*inputs, projections, H, mask=mask),
    )


# -- messages -------------------------------------------------------------------------------------


def test_a_mask_for_each_sequence_says_that_heads_share_it(library):
    mask = draw_mask(B, L, S)
    message = r"mask has shape \(2, 5, 7\), which is ambiguous for scores \(2, 3, 5, 7\): .*mask\[:"
    with pytest.raises(ValueError, match=message):
        attend(library, *draw_inputs(B), projections=draw_projections(), mask=mask)
    shared = attend(library, *draw_inputs(B), projections=draw_projections(), mask=mask[:, None])
    wanted = expected(*draw_inputs(B), draw_projections(), mask=mask[:, None])
    assert_allclose(shared, wanted, rtol=0, atol=1e-12)


def test_a_mask_for_each_sequence_is_refused_even_where_batch_and_heads_are_equal(library):
    mask = draw_mask(H, L, S)
    with pytest.raises(ValueError, match="ambiguous for scores"):
        attend(library, *draw_inputs(H), projections=draw_projections(), mask=mask)


@pytest.mark.parametrize(
    ("n_heads", "message"),
    [
        (2, "the width that w_query makes is 33, which does not divide into 2 heads"),
        (11, "the width that w_value makes is 39, which does not divide into 11 heads"),
        (0, "n_heads must be 1 or more, but is 0"),
    ],
)
def test_refuses_heads_that_do_not_divide_the_widths(n_heads, message):
    with pytest.raises(ValueError, match=message):
        multi_head_attention(*draw_inputs(B), draw_projections(), n_heads)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"w_query": (33, 17)}, r"query has width 17, .* w_query takes width 33 .*transposed"),
        ({"w_value": (16, 39)}, r"value has width 17, .* takes width 16 .*w_value \(16, 39\)"),
        ({"w_key": (17, 30), "b_key": (30,)}, "w_query and w_key make different widths"),
        ({"w_output": (33, 17)}, r"w_output takes width 33, .*w_value \(17, 39\)"),
        ({"w_key": (17,)}, r"w_key has shape \(17,\), but needs two axes"),
        ({"b_value": (33,)}, r"b_value has shape \(33,\), .* column of w_value \(w_value \(17, 39"),
        ({"b_output": (1, 17)}, r"b_output has shape \(1, 17\)"),
    ],
)
def test_refuses_projections_that_do_not_fit(library, changes, message):
    arrays = {name: library.asarray(np.zeros(shape)) for name, shape in changes.items()}
    projections = convert(library, draw_projections())._replace(**arrays)
    with pytest.raises(ValueError, match=message):
        multi_head_attention(*map(library.asarray, draw_inputs(B)), projections, H)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(L, 17), (B, S, 17), (B, S, 17)], r"differ in their number of axes \(query \(5, 17\)"),
        ([(B, L, 17), (3, S, 17), (3, S, 17)], r"key \(3\) and value \(3\) differ in axis -3 \("),
        pytest.param(
            [(B, L, 17), (B, S, 17), (B, 6, 17)],
            "key and value differ in length S",
            marks=pytest.mark.bad_input,
        ),
    ],
)
def test_refuses_inputs_that_do_not_fit(library, shapes, message):
    inputs = [library.asarray(np.zeros(shape)) for shape in shapes]
    with pytest.raises(ValueError, match=message):
        multi_head_attention(*inputs, convert(library, draw_projections()), H)


@pytest.mark.bad_input
def test_refuses_a_single_vector():
    with pytest.raises(ValueError, match=r"at least two axes, .*key \(17,\)"):
        multi_head_attention(draw(17), draw(17), draw(17), draw_projections(), H)


@pytest.mark.bad_input
def test_refuses_a_mix_of_dtypes_and_libraries(torch):
    projections = draw_projections()
    with pytest.raises(TypeError, match=r"more than one dtype .*w_key float32"):
        changed = projections._replace(w_key=projections.w_key.astype(np.float32))
        multi_head_attention(*draw_inputs(B), changed, H)
    with pytest.raises(TypeError, match=r"more than one library .*b_value from torch"):
        changed = projections._replace(b_value=torch.asarray(projections.b_value))
        multi_head_attention(*draw_inputs(B), changed, H)
    with pytest.raises(TypeError, match=r"mask from torch"):
        mask = torch.ones(L, S, dtype=torch.bool)
        multi_head_attention(*draw_inputs(B), projections, H, mask=mask)


@pytest.mark.bad_input
def test_refuses_projections_that_are_none():
    with pytest.raises(TypeError, match="projections is a tuple; make it one first: Projections"):
        multi_head_attention(*draw_inputs(B), tuple(draw_projections()), H)
