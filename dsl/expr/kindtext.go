package expr

import "fmt"

// MarshalText writes the word of the language, so that plans and policies read
// "list" and not a number that moves when a kind is added. The zero Kind is "".
func (k Kind) MarshalText() ([]byte, error) {
	if k == 0 {
		return []byte{}, nil
	}
	if k < String || k > Null {
		return nil, fmt.Errorf("there is no kind %d", int(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads what MarshalText wrote.
func (k *Kind) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*k = 0
		return nil
	}
	for i := String; i <= Null; i++ {
		if kindNames[i] == string(text) {
			*k = i
			return nil
		}
	}
	return fmt.Errorf("there is no kind %q", text)
}
