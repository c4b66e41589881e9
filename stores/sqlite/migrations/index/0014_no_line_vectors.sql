-- A deep search finds the lines of the chapter Dynamic by their words.
DROP TABLE line_vectors;
