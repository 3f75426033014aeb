package planner

import (
	"reflect"
	"strings"
)

// fill turns every nil list of the document into an empty one, so that a reader
// finds [] and never null, and a plan that was written and read is an equal value.
func (p *Plan) fill() { fill(reflect.ValueOf(p).Elem()) }

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && (f.Type.Kind() == reflect.Pointer || !strings.Contains(f.Tag.Get("json"), ",omit")) {
				fill(v.Field(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			fill(v.Elem())
		}
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		if v.Type().Elem().Kind() == reflect.Struct {
			for i := range v.Len() {
				fill(v.Index(i))
			}
		}
	}
}

// Find gives the planned ticket with an ID.
func (p *Plan) Find(id string) (*Ticket, bool) {
	for i := range p.Tickets {
		if p.Tickets[i].ID == id {
			return &p.Tickets[i], true
		}
	}
	return nil, false
}
