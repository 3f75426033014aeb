// Package money holds amounts in cents.
package money

// Amount is a sum of money in cents.
type Amount int64

// Add gives the sum of two amounts.
func Add(a, b Amount) Amount { return a + b }
