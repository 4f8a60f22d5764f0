# The members of the structs in the headers of src/core/state, as lists that snapshot_compare.c compares by:
# FIELDS_job(X) is X(job, id) X(job, spec) ... A struct within a struct is one member.
# Places in lists and tables (LINK_IN_LIST, UT_hash_handle and the like) are no facts: they are left out.
function member(name)
{
	sub(/\[.*/, "", name)
	gsub(/[*[:space:]]/, "", name)
	if (name != "")
		list = list " X(" current ", " name ")"
}
FNR == 1 && FILENAME !~ /write\.h$/ {
	name = FILENAME
	sub(/^.*src\//, "", name)
	print "#include \"" name "\""
}
{
	gsub(/\/\*[^*]*(\*[^\/][^*]*)*\*\//, "")
	if (comment && sub(/^.*\*\//, ""))
		comment = 0
	if (comment)
		next
	if (sub(/\/\*.*$/, ""))
		comment = 1
}
/^struct [a-z_]+ \{/ {
	current = $2
	list = ""
	depth = 1
	next
}
current && /\{[[:space:]]*$/ { depth++; next }
current && depth > 1 {
	if ($0 ~ /^[[:space:]]*\}/) {
		depth--
		sub(/^[[:space:]]*\}/, "")
		sub(/;.*/, "")
		member($0)
	}
	next
}
current && /^\};/ {
	print "#define FIELDS_" current "(X)" list
	names = names " Y(" current ")"
	current = ""
	next
}
current && /;/ {
	line = $0
	sub(/;.*/, "", line)
	if (line ~ /LINK_LIST|LINK_IN_LIST|LINK_QUEUE|LINK_IN_QUEUE|UT_hash_handle/)
		next
	if (line ~ /LINK(_ARRAY)?\(/)
		sub(/^.*\)[[:space:]]*/, "", line)
	else {
		sub(/^[[:space:]]*(const[[:space:]]+)?(unsigned[[:space:]]+)?(struct[[:space:]]+|enum[[:space:]]+)?[A-Za-z_0-9]+[[:space:]]+/, "", line)
	}
	gsub(/[a-z_]+\[\]/, "", line)
	n = split(line, parts, ",")
	for (i = 1; i <= n; i++)
		member(parts[i])
}
END { print "#define STRUCTS(Y)" names }
