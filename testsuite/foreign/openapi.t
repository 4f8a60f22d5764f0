#!/bin/bash
# The OpenAPI document of the gateway by an independent validator.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/foreign.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/rest.sh"
foreign redocly

test_under_armada 1 --rest
ok 'the gateway gives the document' curl -sSf -m 20 -o openapi.json "$ARMADA_REST_URL/openapi.json"
# it tells its maker about errors and asks for new versions otherwise
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true CI=1

lint()
{
	redocly lint --config "$ARMADA_SRCDIR/testsuite/foreign/redocly.yaml" --format json "$1" 2>complaint |
		jq -r '.problems[] | "\(.severity) \(.ruleId): \(.message) at \(.location[0].pointer)"'
}
is "$(lint openapi.json)" '' 'the validator finds neither errors nor warnings' || diag "$(cat complaint)"
like "$(cat complaint)" 'is valid' '... and says so'

# the validator sees what is wrong: each is a mistake that a route could bring in
broken()
{
	jq "$1" openapi.json >wrong.json
	like "$(lint wrong.json)" "$2" "it finds $3"
}
broken '.paths["/v1/jobs/{id}"].get.parameters = []' path-parameters-defined 'a part of a path without a parameter'
broken '.paths["/v1/jobs"].post.operationId = "get_v1_jobs"' operation-operationId-unique 'an operation id that comes twice'
broken '.paths["/v1/jobs"].get.responses["200"].content["application/json"].schema.properties.jobs.items["$ref"] =
	"#/components/schemas/None"' no-unresolved-refs 'a reference to nothing'
broken 'del(.paths["/v1/jobs"].get.responses["4XX"])' operation-4xx-response 'an operation that never fails'
broken '.paths["/v1/jobs"].get.sumary = "x"' struct 'a member that the format does not have'
done_testing
