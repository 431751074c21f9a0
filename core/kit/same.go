package kit

import (
	"encoding/json"

	"retrace/core/records"
)

// What follows from protocol and data is made again and compared with the kit's file, as JSON values.

const again = "the file follows from protocol and data; get the kit again"

// SameLines compares records that were made again with the lines of a kit's file.
func SameLines[T any](k *Kit, file string, rebuilt []T) error {
	data, err := k.Read(file)
	if err != nil {
		return err
	}
	i := 0
	err = records.Lines(file, data, func(line int, text []byte) error {
		if i == len(rebuilt) {
			return records.Errorf(file, line, again, "a line more than the %d that the rule gives", len(rebuilt))
		}
		want, err := Canonical(rebuilt[i])
		if err != nil {
			return err
		}
		got, err := Canonical(json.RawMessage(text))
		if err != nil {
			return records.Errorf(file, line, "one JSON object a line", "%v", err)
		}
		if string(got) != string(want) {
			return records.Errorf(file, line, again, "differs from what the rule gives: %s", want)
		}
		i++
		return nil
	})
	if err == nil && i < len(rebuilt) {
		err = records.Errorf(file, 0, again, "%d lines, the rule gives %d", i, len(rebuilt))
	}
	return err
}

// SameValue compares a value that was made again with a kit's file.
func SameValue(k *Kit, file string, rebuilt any) error {
	data, err := k.Read(file)
	if err != nil {
		return err
	}
	want, err := Canonical(rebuilt)
	if err != nil {
		return err
	}
	got, err := Canonical(json.RawMessage(data))
	if err != nil {
		return records.Errorf(file, 0, "the file holds one JSON value", "%v", err)
	}
	if string(got) != string(want) {
		return records.Errorf(file, 0, again, "differs from what the rule gives")
	}
	return nil
}
