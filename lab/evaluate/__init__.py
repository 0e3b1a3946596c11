"""Whether one search is better than another: runs, TREC files, measures, differences."""
