"""The book to take home: made from the built editions, one file for each."""
