package dialect

// row is what one dialect can't say.
type row struct {
	drop    []string // keywords that are refused, or not understood and better left out
	formats []string // values of format that are kept when format isn't dropped; nil keeps all

	inline   bool // no references: their targets stand in their place
	oneOf    bool // oneOf is understood; else it becomes anyOf
	types    bool // type may be a list
	nullable bool // null is said with "nullable": true
	strings  bool // only strings may be enumerated
	items    bool // an array must say what it holds
	filled   bool // an object below the root must have properties
	plain    bool // names of properties are letters, digits, _ . -, at most 64
	closed   bool // every property required, none free
	bare     bool // the root has nothing but type, properties and required
}

// never is what no service needs: notes of schema writers, and what would have
// to be resolved over the network.
func never(more ...string) []string {
	return append([]string{"$schema", "$id", "$anchor", "$comment", "$vocabulary", "$dynamicRef", "$dynamicAnchor", "examples", "deprecated", "readOnly", "writeOnly"}, more...)
}

// logic is what only a validator understands.
func logic(more ...string) []string {
	return never(append([]string{"if", "then", "else", "not", "dependentSchemas", "dependentRequired", "dependencies", "unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains", "propertyNames", "contentEncoding", "contentMediaType", "contentSchema"}, more...)...)
}

// table holds the dialects, from the services' documentation and from what
// they were seen to refuse.
func table() map[Name]row {
	bounds := []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems"}
	with := func(base []string, more ...string) []string { return append(append([]string{}, base...), more...) }
	return map[Name]row{
		OpenAI: {drop: logic(), types: true, items: true},
		OpenAIStrict: {
			drop:  logic(with(bounds[:2], "minProperties", "maxProperties", "uniqueItems", "patternProperties", "default", "title")...),
			types: true, items: true, closed: true,
			formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
		},
		Anthropic: {drop: never(), types: true, oneOf: true, plain: true},
		Gemini: {
			drop:   logic(with(bounds, "patternProperties", "additionalProperties", "$defs", "definitions", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format", "const", "default", "prefixItems", "title")...),
			inline: true, nullable: true, strings: true, items: true, filled: true,
		},
		Bedrock: {drop: never(), types: true, oneOf: true, inline: true, plain: true, bare: true},
		Grammar: {
			drop:   logic(with(bounds, "patternProperties", "pattern", "multipleOf", "$defs", "definitions")...),
			inline: true, types: true, items: true,
			formats: []string{"date", "time", "date-time", "uuid"},
		},
		XAI:     {drop: logic(with(bounds[:4], "patternProperties", "pattern")...), types: true, items: true, inline: true},
		Mistral: {drop: logic("patternProperties"), types: true, items: true, inline: true},
	}
}
