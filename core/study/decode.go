package study

import "encoding/json"

// Two results put keys of the protocol beside keys of their own; these read them back.

// UnmarshalJSON is the inverse of MarshalJSON.
func (m *BinaryMethod) UnmarshalJSON(data []byte) error {
	var own struct {
		Defined   int         `json:"defined"`
		Undefined []Undefined `json:"undefined"`
	}
	rest, err := decodeBeside(data, &own, reservedKeys)
	if err != nil {
		return err
	}
	*m = BinaryMethod{Means: map[string]*float64{}, Defined: own.Defined, Undefined: own.Undefined}
	for key, value := range rest {
		var mean *float64
		if err := json.Unmarshal(value, &mean); err != nil {
			return err
		}
		m.Means[key] = mean
	}
	return nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (a *AnswersResult) UnmarshalJSON(data []byte) error {
	var own struct {
		Agreement  GraderAgreement `json:"agreement"`
		Readers    []string        `json:"readers"`
		Reproduced bool            `json:"reproduced"`
	}
	rest, err := decodeBeside(data, &own, []string{"agreement", "readers", "reproduced"})
	if err != nil {
		return err
	}
	*a = AnswersResult{Rows: map[string]AnswerScores{}, Agreement: own.Agreement, Readers: own.Readers, Reproduced: own.Reproduced}
	for key, value := range rest {
		var row AnswerScores
		if err := json.Unmarshal(value, &row); err != nil {
			return err
		}
		a.Rows[key] = row
	}
	return nil
}

// decodeBeside decodes an object's own keys and returns what stands beside them.
func decodeBeside(data []byte, own any, keys []string) (map[string]json.RawMessage, error) {
	if err := json.Unmarshal(data, own); err != nil {
		return nil, err
	}
	var rest map[string]json.RawMessage
	if err := json.Unmarshal(data, &rest); err != nil {
		return nil, err
	}
	for _, key := range keys {
		delete(rest, key)
	}
	return rest, nil
}
