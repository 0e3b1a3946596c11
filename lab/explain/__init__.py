"""Why a ranking is as it is: tipping points, biographies, agreement, maps, match matrices, attribution."""
