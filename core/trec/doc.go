// Package trec reads TREC's files, qrels and runs, strictly, and holds the rules by which a run's documents are ordered.
//
// Columns are separated by spaces or tabs, lines end with LF or CRLF, the last line end may be missing, and blank lines may
// only stand at the end of a file, all as trec_eval 10 takes them; lines that begin with # are passed over with a warning,
// a UTF-8 byte-order mark too. What cannot be meant is an error that names file, line and a remedy: a number of columns
// that isn't the format's, a document twice in a topic, an identifier with a character that no identifier has
// (collection.CheckID), a score that isn't a finite decimal number, a grade that isn't a whole number, text that isn't
// UTF-8. Identifiers are compared byte for byte: 007 is not 7.
package trec
