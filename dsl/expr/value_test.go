package expr

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCanonicalJSON(t *testing.T) {
	for in, want := range map[string]string{
		` { "b" : 1.0 , "a" : [ 1e2 , 1.50, -0.0 ] } `: `{"a":[100,1.5,0],"b":1}`,
		`9007199254740993`:     `9007199254740993`,
		`-9223372036854775808`: `-9223372036854775808`,
		`1e30`:                 `1e+30`,
		`"<a & b>"`:            `"<a & b>"`,
		`"\u00e9"`:             `"é"`,
		`null`:                 `null`,
		`[]`:                   `[]`,
		`{}`:                   `{}`,
	} {
		v, err := FromJSON([]byte(in))
		require.NoError(t, err, in)
		require.Equal(t, want, v.String())
		again, err := FromJSON(v.JSON())
		require.NoError(t, err)
		require.True(t, v == again, "values of equal bytes are ==")
	}
}

func TestFromJSONRefuses(t *testing.T) {
	for in, why := range map[string]string{
		`{"a":1,"a":2}`:             "stands twice",
		`99999999999999999999`:      "does not fit 64 bits",
		`1e999`:                     "out of range",
		"\"\xff\"":                  "UTF-8",
		`1 2`:                       "text follows",
		`{"a":`:                     "not JSON",
		``:                          "not JSON",
		`{a:1}`:                     "not JSON",
		strings.Repeat("[", 100000): "nested more than 64",
	} {
		_, err := FromJSON([]byte(in))
		require.ErrorContains(t, err, why, quote(in))
	}
}

func TestValueTravelsThroughJSON(t *testing.T) {
	type plan struct {
		Value Value `json:"value"`
		Gone  Value `json:"gone,omitzero"`
	}
	v := OfMap([]Entry{{"b", Of(1)}, {"a", OfList([]Value{Of("x"), Of(true), {}})}})
	raw, err := json.Marshal(plan{Value: v})
	require.NoError(t, err)
	require.Equal(t, `{"value":{"a":["x",true,null],"b":1}}`, string(raw))
	var back plan
	require.NoError(t, json.Unmarshal(raw, &back))
	require.Equal(t, plan{Value: v}, back)
	require.Error(t, json.Unmarshal([]byte(`{"value":{"a":1,"a":2}}`), &back))
}

func TestAccessors(t *testing.T) {
	v := sealedValue(t, `{"s":"x","i":3,"f":1.5,"b":true,"l":[1,2],"m":{"k":null},"money":"2.50 USD","d":"1h30m"}`)
	field := func(name string) Value { f, ok := v.Field(name); require.True(t, ok); return f }
	s, ok := field("s").Str()
	require.True(t, ok)
	require.Equal(t, "x", s)
	i, ok := field("i").Int()
	require.True(t, ok)
	require.EqualValues(t, 3, i)
	_, ok = field("f").Int()
	require.False(t, ok, "1.5 is no int")
	f, ok := field("i").Number()
	require.True(t, ok)
	require.EqualValues(t, 3, f)
	b, ok := field("b").Bool()
	require.True(t, b && ok)
	list, ok := field("l").List()
	require.True(t, ok)
	require.Equal(t, []Value{Of(1), Of(2)}, list)
	entries, ok := v.Map()
	require.True(t, ok)
	require.Equal(t, "b", entries[0].Key)
	micros, ok := field("money").Money()
	require.True(t, ok)
	require.EqualValues(t, 2_500_000, micros)
	d, ok := field("d").Duration()
	require.True(t, ok)
	require.Equal(t, 90*time.Minute, d)
	text, ok := field("b").Text()
	require.True(t, ok)
	require.Equal(t, "true", text)
	_, ok = field("l").Text()
	require.False(t, ok)
	_, ok = v.Field("none")
	require.False(t, ok)
	require.True(t, Value{}.IsNull())
	require.Equal(t, "null", Value{}.String())
}

func TestMoneyAndDurationRoundTrip(t *testing.T) {
	for text, micros := range map[string]int64{"2 USD": 2_000_000, "2.50 USD": 2_500_000, "0.000001 USD": 1, "0 USD": 0, "9223372036853 USD": 9_223_372_036_853_000_000} {
		got, err := ParseMoney(text)
		require.NoError(t, err)
		require.Equal(t, micros, got)
		require.Equal(t, text, FormatMoney(micros))
	}
	for _, text := range []string{"2", "-1 USD", "2 EUR", "2.0000001 USD", "1e3 USD", " USD", "2. USD", "9223372036855 USD", "١ USD", "2,5 USD"} {
		_, err := ParseMoney(text)
		require.Error(t, err, text)
	}
	require.Equal(t, "-0.50 USD", FormatMoney(-500_000))
	for text, want := range map[string]string{"90s": "1m30s", "1h0m0s": "1h", "2d": "48h", "1d12h": "36h", "0s": "0s", "10m": "10m", "1500ms": "1.5s"} {
		d, err := ParseDuration(text)
		require.NoError(t, err)
		require.Equal(t, want, FormatDuration(d))
		again, err := ParseDuration(FormatDuration(d))
		require.NoError(t, err)
		require.Equal(t, d, again)
	}
	for _, text := range []string{"10", "0", "-5m", "", "soon", "999999999999h", "200000d", "106751d999999h"} {
		_, err := ParseDuration(text)
		require.Error(t, err, text)
	}
}

func FuzzFromJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,1.5,"x",null,true],"b":1e300}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := FromJSON(raw)
		if err != nil {
			return
		}
		again, err := FromJSON(v.JSON())
		require.NoError(t, err)
		require.True(t, v == again)
	})
}
