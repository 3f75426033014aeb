package policies

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// decision is what deny, warn and ask contain.
type decision struct {
	Msg   string `json:"msg"`
	Code  string `json:"code"`
	Level string `json:"level"` // hard, soft; empty: soft
	Node  string `json:"node"`  // address, ID, or agent of the plan
	From  string `json:"from"`  // ask: the group whose approval is needed
	// Approvers: ask: how many different people of that group; 1 where it is not said.
	Approvers int `json:"approvers"`
}

// guardRule is what guard contains.
type guardRule struct {
	Rule     string `json:"rule"`
	Decision string `json:"decision"` // hard_deny, deny, ask
	Reason   string `json:"reason"`
}

// exception is what except contains.
type exception struct {
	Rule   string `json:"rule"`   // wf.<name>.<entry>, or the code of its rulings
	Node   string `json:"node"`   // only rulings on this node, where given
	Reason string `json:"reason"` // shown to whoever approves
	Until  string `json:"until"`  // last day it holds, 2027-01-31
}

// maxApprovers bounds how many people one ask can need.
const maxApprovers = 20

var group = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`) })

func (d decision) check(kind string) error {
	switch {
	case d.Msg == "":
		return errors.New("`msg` is missing")
	case d.Level != "" && d.Level != "hard" && d.Level != "soft":
		return fmt.Errorf("`level` is %q, not hard or soft", d.Level)
	case kind == entryAsk && !group().MatchString(d.From):
		return fmt.Errorf("`from` is %q, not the name of a group", d.From)
	case kind != entryAsk && d.From != "":
		return errors.New("`from` belongs to ask alone")
	case kind != entryAsk && d.Approvers != 0:
		return errors.New("`approvers` belongs to ask alone")
	case d.Approvers < 0 || d.Approvers > maxApprovers:
		return fmt.Errorf("`approvers` is %d, not 1 to %d", d.Approvers, maxApprovers)
	}
	return nil
}

func (g guardRule) check() error {
	switch {
	case g.Rule == "":
		return errors.New("`rule` is missing")
	case g.Reason == "":
		return errors.New("`reason` is missing; it is what the refused agent reads")
	case g.Decision == "allow":
		return errors.New("`decision` is allow, and a policy only tightens")
	case g.Decision != "hard_deny" && g.Decision != "deny" && g.Decision != "ask":
		return fmt.Errorf("`decision` is %q, not hard_deny, deny or ask", g.Decision)
	}
	return nil
}

func (x exception) check() error {
	switch {
	case x.Rule == "":
		return errors.New("`rule` is missing")
	case x.Reason == "":
		return errors.New("`reason` is missing")
	}
	if _, err := time.Parse(time.DateOnly, x.Until); err != nil {
		return fmt.Errorf("`until` is %q, not a day such as 2027-01-31", x.Until)
	}
	return nil
}

// over reports whether the day lies after the last one the exception holds for.
func (x exception) over(day time.Time) bool {
	return day.Format(time.DateOnly) > x.Until
}

// decode reads a decision strictly: a key that wf does not know is an error,
// since it may have been meant to change the decision.
func decode[T any](v ast.Value) (T, error) {
	var out T
	plain, err := ast.JSON(v)
	if err != nil {
		return out, err
	}
	raw, err := json.Marshal(plain)
	if err != nil {
		return out, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		return out, fmt.Errorf("%s", plainer(err))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return out, errors.New("more than one value")
	}
	if _, ok := v.(ast.Object); !ok {
		return out, errors.New("it is not an object")
	}
	return out, nil
}

// plainer says a JSON mismatch without Go's type names.
func plainer(err error) string {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		if te.Field == "" {
			return "it is a " + te.Value + ", not an object"
		}
		want := "string"
		if te.Type.Kind() != reflect.String {
			want = "whole number"
		}
		return fmt.Sprintf("`%s` is a %s, not a %s", te.Field, te.Value, want)
	}
	return err.Error()
}
