// runs Lighthouse on one address after the other, as asked on the standard input: a line of JSON in,
// a line of JSON out
import readline from "node:readline";
import { launch } from "chrome-launcher";
import lighthouse, { desktopConfig } from "lighthouse";

const [chromePath, ...chromeFlags] = process.argv.slice(2);
const chrome = await launch({ chromePath, chromeFlags, logLevel: "silent" });
const options = {
  port: chrome.port,
  logLevel: "silent",
  onlyCategories: ["performance", "accessibility", "best-practices", "seo"],
};
const configs = { mobile: undefined, desktop: desktopConfig };

// what cost a category some of its score
const lost = ({ auditRefs }, audits) =>
  auditRefs
    .filter(({ id, weight }) => weight && audits[id].score !== null && audits[id].score < 1)
    .map(({ id }) => [id, audits[id].displayValue].filter(Boolean).join(": "));

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { url, form } = JSON.parse(line);
  const { lhr } = await lighthouse(url, options, configs[form]);
  if (lhr.runtimeError) throw new Error(`${url}: ${lhr.runtimeError.message}`);
  const categories = Object.entries(lhr.categories);
  const each = (value) => Object.fromEntries(categories.map(([name, found]) => [name, value(found)]));
  const answer = {
    speed: Math.round(lhr.environment.benchmarkIndex),
    scores: each(({ score }) => Math.round(score * 100)),
    lost: each((category) => lost(category, lhr.audits)),
  };
  console.log(JSON.stringify(answer));
}
await chrome.kill();
