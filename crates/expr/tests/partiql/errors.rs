//! What AWS says of statements that are none. All of it measured by others (2026), unless the case says otherwise.

use dynamometer_expr::partiql::parse_statement;
use dynamometer_types::AttributeValue;

use crate::parse;

/// What AWS puts before the faults of the grammar.
const MALFORMED: &str = "Statement wasn't well formed, can't be processed: ";

fn check_all(cases: &[(&str, &str)]) {
    for (text, message) in cases {
        let message = message.replace("W|", MALFORMED);
        match parse(text) {
            Ok(read) => panic!("{text}: read as {read:?}"),
            Err(error) => assert_eq!(error.message, message, "{text}"),
        }
    }
}

#[test]
fn text_that_does_not_end_where_a_statement_does() {
    check_all(&[
        ("SELECT * FROM T WHERE pk = 1 foo", "W|Unexpected token after expression"),
        ("SELECT * FROM T WHERE pk = 1 e5", "W|Unexpected token after expression"),
        ("INSERT INTO T VALUE {'pk': 1} foo", "W|Unexpected token after expression"),
        ("UPDATE T SET a = 9 WHERE pk = 1 foo", "W|Unexpected token after expression"),
        ("DELETE FROM T WHERE pk = 1 foo", "W|Unexpected token after expression"),
        ("SELECT * FROM T WHERE pk = 1)", "W|Unexpected token after expression"),
        ("DELETE FROM T WHERE pk = 1 ORDER BY pk", "W|Unexpected token after expression"),
        ("SELECT * FROM T ORDER BY pk WHERE pk = 1", "W|Unexpected token after expression"),
        ("INSERT INTO T t VALUE {'pk': 'x'}", "W|Unexpected token after expression"),
        ("UPDATE T SET a = 1 REMOVE b, c WHERE pk = 1", "W|Unexpected token after expression"),
        ("FROM T SET c = 1 WHERE pk = 'x'", "W|Unexpected token after expression"),
        ("FROM T SET c = 1 WHERE pk = 'x' SET d = 2", "W|Unexpected token after expression"),
        ("SELECTT * FROMM \"T\"", "W|Unexpected token after expression"),
        ("SELECT * FROM T; SELECT", "W|Unexpected token after semicolon. (Only one query is allowed.)"),
    ]);
}

#[test]
fn conditions_that_are_not_there() {
    check_all(&[
        ("SELECT * FROM T WHERE", "W|Unexpected term"),
        ("SELECT * FROM T WHERE;", "W|Unexpected term"),
        ("SELECT * FROM T WHERE   ", "W|Unexpected term"),
        ("UPDATE T SET a = 1 WHERE", "W|Unexpected term"),
        ("DELETE FROM T WHERE", "W|Unexpected term"),
        ("SELECT * FROM T WHERE NOT", "W|Unexpected term"),
        ("SELECT * FROM T WHERE (", "W|Unexpected term"),
        ("SELECT * FROM T WHERE pk = 'p1' AND", "W|Missing right-hand side expression of infix operator"),
        ("SELECT * FROM T WHERE pk = 'p1' OR", "W|Missing right-hand side expression of infix operator"),
        ("SELECT * FROM T WHERE ORDER BY pk", "W|Unexpected keyword"),
        ("SELECT * FROM T WHERE IS NULL", "W|Unexpected operator"),
        ("SELECT * FROM T WHERE pk = LIKE", "W|Unexpected operator"),
        ("SELECT * FROM T WHERE x IS FOO", "W|Expected type name"),
        ("SELECT * FROM T WHERE x BETWEEN 1 OR 2", "W|Expected AND keyword"),
        ("SELECT * FROM T WHERE (x = 1", "W|Expected RIGHT_PAREN"),
        ("SELECT * FROM T WHERE x IN [1", "W|Expected RIGHT_BRACKET"),
        ("INSERT INTO T VALUE {'pk': 1", "W|Expected RIGHT_CURLY"),
        ("SELECT * FROM T WHERE m.inner = 1", "W|Invalid path dot component"),
        ("SELECT * FROM T WHERE x BETWEEN 1 AND", "W|Expected expression after AND"),
        ("SELECT * FROM T WHERE x <>;", "W|Missing right-hand side expression of infix operator"),
        ("SELECT * FROM T WHERE x = 1.2.3", "W|Unexpected token after expression"),
        ("SELECT * FROM T WHERE x = .5.5", "W|Unexpected token after expression"),
        ("SELECT * FROM T WHERE x = ..5", "W|Unexpected term"),
        ("SELECT * FROM T WHERE x = .e5", "W|Unexpected term"),
        ("SELECT * FROM T WHERE x = X'61'", "W|Unexpected token after expression"),
        ("SELECT * FROM T WHERE x IS DOUBLE", "W|Expected type name"),
        ("SELECT * FROM T WHERE x IS TEXT", "W|Expected type name"),
        ("FROM T WHERE SET c = 1", "W|Expected data manipulation"),
    ]);
}

#[test]
fn tables_that_are_not_there() {
    check_all(&[
        ("SELECT * FROM", "W|Unexpected term"),
        ("DELETE FROM", "W|Expected identifier for simple path"),
        ("DELETE FROM;", "W|Expected identifier for simple path"),
        ("DELETE FROM WHERE pk = 'a'", "W|Expected identifier for simple path"),
        ("SELECT * FROM \"\"", "Path component cannot be an empty string"),
        ("SELECT * FROM T.\"\"", "Path component cannot be an empty string"),
        ("SELECT * FROM a.b.c", "A path may contain at most 2 components in the FROM clause"),
        ("SELECT * FROM T t WHERE pk = 'x'", "Aliasing is not supported"),
        ("SELECT * FROM T AS t WHERE pk = 'x'", "Aliasing is not supported"),
        ("UPDATE T t SET a = 3 WHERE pk = 'x'", "Aliasing is not supported"),
        ("DELETE FROM T t WHERE pk = 'x'", "Aliasing is not supported"),
        ("UPDATE a.b SET a = 3 WHERE pk = 'x'", "This operation is not supported on an index"),
        ("DELETE FROM a.b WHERE pk = 'x'", "This operation is not supported on an index"),
        (
            "INSERT INTO a.b VALUE {'pk': 'x'}",
            "FROM clause may only contain a single table name in data manipulation statements at 1:13:1",
        ),
        (
            "INSERT INTO \"abcdefgh\".\"idx\" VALUE {'pk': 'x'}",
            "FROM clause may only contain a single table name in data manipulation statements at 1:13:10",
        ),
        (
            "SELECT FROM T",
            "W|Expected identifier or an expression but found unexpected keyword 'from' in a select list.",
        ),
        ("SELECT * FROM WHERE pk = 'a'", "W|Unexpected keyword"),
        ("DELETE T WHERE pk = 1", "W|Expected FROM after DELETE"),
        ("INSERT T VALUE {'pk': 1}", "W|Unexpected keyword"),
        ("UPDATE 1 SET a = 1", "W|Expected identifier for simple path"),
        ("SELECT * FROM a, b", "Only select from a single table or index is supported."),
    ]);
}

#[test]
fn things_that_are_no_statement() {
    check_all(&[
        ("SLECT * FROM T WHERE pk = 'x'", "W|Expected data manipulation"),
        ("UPDATE T WHERE pk = 'x'", "W|Expected data manipulation"),
        ("x IS INT4", "Unsupported operation: IsType"),
        ("x IS DOUBLE PRECISION", "Unsupported operation: IsType"),
        ("x IS CHARACTER VARYING", "Unsupported operation: IsType"),
        ("hello", "Unsupported operation: Id"),
        ("a.b", "Unsupported operation: Path"),
        ("1", "Unsupported operation: Lit"),
        ("[1]", "Unsupported operation: List"),
        ("a = 1", "EXISTS can only be used in ExecuteTransaction write requests."),
        ("size(a)", "EXISTS can only be used in ExecuteTransaction write requests."),
        ("\"a\"(1)", "EXISTS can only be used in ExecuteTransaction write requests."),
        ("a LIKE 'x' ESCAPE 'y'", "EXISTS can only be used in ExecuteTransaction write requests."),
        ("a = (SELECT * FROM T)", "EXISTS can only be used in ExecuteTransaction write requests."),
        ("-'a'", "EXISTS can only be used in ExecuteTransaction write requests."),
        ("- -1", "Unsupported operation: Lit"),
        ("a[1] [2]", "Unsupported operation: Path"),
        ("[1][0]", "Unsupported operation: Path"),
        ("(1).a", "Unsupported operation: Path"),
        ("'a'.b", "Unsupported operation: Path"),
        ("f(1).a", "Unsupported operation: Path"),
        ("a = SELECT", "W|Unexpected term"),
        ("a = FROM", "W|Unexpected term"),
        ("SLECT * FROM", "W|Unexpected term"),
        ("DELETE", "W|Expected FROM after DELETE"),
        ("SET", "W|Expected identifier for simple path"),
        ("SET 1 = 1", "W|Expected identifier for simple path"),
        ("SET a", "W|Expected '='"),
        ("SET a =", "W|Unexpected term"),
        ("SET a = 1 WHERE pk = 1", "W|Unexpected token after expression"),
        ("REMOVE a, b", "W|Unexpected token after expression"),
        ("SET a.b = 1, c = 2", "Only select from a single table or index is supported."),
        ("REMOVE a.b", "Only select from a single table or index is supported."),
        ("CASE", "W|Unexpected term"),
        ("CASE 1 END", "W|Expected a WHEN clause in CASE"),
        ("CASE WHEN 1 2 END", "W|Expected THEN keyword"),
        ("CASE WHEN 1 THEN 2", "W|Expected END keyword"),
        ("CASE WHEN 1 THEN 2 ELSE END", "W|Unexpected keyword"),
        ("CASE WHEN 1 THEN 2 END", "Unsupported operation: SearchedCase"),
        ("CASE 1 WHEN 1 THEN 2 ELSE 3 END", "Unsupported operation: SimpleCase"),
        // Assumed.
        ("SELECT * FROM T WHERE a = 1 LIMIT 5", "Unsupported clause: LIMIT at 1:29:5"),
    ]);
}

#[test]
fn literals_that_nothing_can_store() {
    const LARGE: &str =
        "Number overflow. Attempting to store a number with magnitude larger than supported range";
    const SMALL: &str =
        "Number underflow. Attempting to store a number with magnitude smaller than supported range";
    let deep = format!("UPDATE T SET d = {}1{} WHERE pk = 1", "{'a':".repeat(32), "}".repeat(32));
    let deep_path = format!("Nesting Levels have exceeded supported limits under root{}", ".a".repeat(32));
    check_all(&[
        ("SELECT * FROM T WHERE pk = 1e2147483648", "W|"),
        ("SELECT * FROM T WHERE pk = 1e99999999999", "W|"),
        ("SELECT * FROM T WHERE pk = 1.5e-2147483647", "W|"),
        ("SELECT * FROM T WHERE pk = 1 # note", "W|"),
        ("SELECT * FROM T WHERE pk = 1 /* note", "W|"),
        ("SELECT * FROM T WHERE pk = 'oops", "W|"),
        ("SELECT * FROM T WHERE pk = 1e2147483645", &format!("{LARGE} under root")),
        ("SELECT * FROM T WHERE pk = 1e2147483646", &format!("{SMALL} under root")),
        ("SELECT * FROM T WHERE pk = 1e126", &format!("{LARGE} under root")),
        ("SELECT * FROM T WHERE pk = 1e-131", &format!("{SMALL} under root")),
        ("INSERT INTO T VALUE {'pk': 1e126}", &format!("{LARGE} under root")),
        ("UPDATE T SET a = 1e-131 WHERE pk = 1", &format!("{SMALL} under root")),
        ("INSERT INTO T VALUE {'pk': 1, 'm': {'x': 1e126}}", &format!("{LARGE} under root.x")),
        ("INSERT INTO T VALUE {'pk': 1, 'l': [1, 1e126]}", &format!("{LARGE} under root[1]")),
        (
            "SELECT * FROM T WHERE pk = 123456789012345678901234567890123456789",
            "Attempting to store more than 38 significant digits in a Number under root",
        ),
        (&deep, &deep_path),
        ("INSERT INTO T VALUE {'pk': 1, 's': <<>>}", "Empty bags are not supported"),
        (
            "UPDATE T SET s = set_add(s, <<'x', 'x'>>) WHERE pk = 1",
            "One or more parameter values were invalid: Input collection [x, x] contains duplicates.",
        ),
        (
            "UPDATE T SET s = <<2, 2.0>> WHERE pk = 1",
            "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root",
        ),
        (
            "INSERT INTO T VALUE {'pk': 'x', 'ss': set_add(<<'a'>>, <<'b'>>)}",
            "Unsupported data type: set_add under key root at 1:39:7",
        ),
        (
            "INSERT INTO T VALUE {'pk': 'x', 'm': {'x': set_add(<<'a'>>, <<'b'>>)}}",
            "Unsupported data type: Call under key root.x at 1:44:7",
        ),
        ("INSERT INTO T VALUE {'pk': 1, '': 1}", "Path component cannot be an empty string"),
    ]);
}

#[test]
fn bags_that_are_no_sets() {
    const BAG: &str =
        "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags";
    let ion = "Ion Literals are not supported: INT under key root at 1:23:3";
    let parameter = "Unsupported data type: Parameter under key root at 1:23:1";
    let null = "One or more parameter values were invalid: Numeric sets may not contain null under root";
    let at = |place: &str| format!("{BAG} at {place}");
    let cases = [
        ("<<'a', 1>>", at("1:25:1")),
        ("<<'a', 'a', true, 1>>", at("1:30:4")),
        ("<<'a', <<'b'>>>>", at("1:25:2")),
        ("<<'a',\n 1>>", at("2:2:1")),
        ("<<true, 'a'>>", at("1:20:4")),
        ("<<[1]>>", at("1:20:1")),
        ("<<?, 1>>", at("1:20:1")),
        ("<<`1`, `1`>>", at("1:20:3")),
        ("<<1, 'a'>>", BAG.into()),
        ("<<-1, [1]>>", BAG.into()),
        ("<<1, null>>", null.into()),
        ("<<1, ?>>", parameter.into()),
        ("<<1, `1`>>", ion.into()),
    ];
    for (bag, message) in cases {
        let text = format!("UPDATE T SET q = {bag} WHERE pk = 'x'");
        let error = parse_statement(&text, &[AttributeValue::s("v")]).unwrap_err();
        assert_eq!(error.message, message, "{text}");
    }
}

#[test]
fn parameters_that_are_too_few_or_inside_a_literal() {
    let with_one = |text: &str| parse_statement(text, &[AttributeValue::s("v")]).unwrap_err().message;
    assert_eq!(
        with_one("SELECT * FROM T WHERE a = ? AND b = ?"),
        "Number of parameters in request and statement don't match."
    );
    assert_eq!(
        with_one("UPDATE T SET x = [?] WHERE pk = 1"),
        "Unsupported data type: Parameter under key root[0] at 1:19:1"
    );
    assert_eq!(
        with_one("INSERT INTO T VALUE {'m': {'k': ?}}"),
        "Unsupported data type: Parameter under key root.k at 1:33:1"
    );
    assert!(parse_statement("SELECT * FROM T", &[AttributeValue::Null]).is_ok());
    assert_eq!(with_one("SELECT * FROM T WHERE pk = 1 AND ?"), "Unsupported operation: Parameter at 1:34:1");
}

#[test]
fn functions_and_operands_that_do_not_fit() {
    let operand = "Incorrect operand type for operator or function; operator or function";
    let count = "Incorrect number of operands for operator or function; operator or function";
    let path = "Operator or function requires a document path; operator or function: attribute_exists";
    let exists = format!("{count}: attribute_exists, number of operands");
    let is_type = |name: &str| {
        format!(
            "Unsupported data type for IS operator: {name}. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, \
             STRING, NUMERIC, STRUCT, TUPLE, LIST] at 1:23:1"
        )
    };
    let cases = [
        ("attribute_exists('ss')", path.to_owned()),
        ("attribute_exists()", format!("{exists}: 0")),
        ("attribute_exists(ss, ns)", format!("{exists}: 2")),
        ("EXISTS(ss)", "Unrecognized function: exists at 1:23:6".into()),
        ("set_add(ss, <<'x'>>) = ss", "Unrecognized function: set_add at 1:23:7".into()),
        ("attribute_type(l, 1)", format!("{operand}: attribute_type, operand type: N")),
        ("a < true", format!("{operand}: <, operand type: BOOL")),
        ("attribute_exists(n) > false", format!("{operand}: >, operand type: BOOL")),
        ("a = -b", format!("{count}: -, number of operands: 1")),
        ("a = 5 + 5", "Unsupported operator in Condition Expression. Operator: +".into()),
        ("a = MISSING", "MISSING must be compared using IS operator".into()),
        ("a IS BAG", is_type("BagType")),
        ("a IS VARCHAR(10)", is_type("CharacterVaryingType")),
        ("a IS NOT BIGINT", is_type("Integer8Type")),
        ("a IS SEXP", is_type("SexpType")),
        ("a IS ANY", is_type("AnyType")),
        (
            "size(a) IS MISSING",
            "The left hand side argument to IS must be a Variable Reference, Literal, or Path".into(),
        ),
        ("size(a)", "WHERE clause must contain an expression that resolves to a boolean".into()),
        ("a = 1 AND size(a)", format!("{operand}: AND, operand type: N")),
        ("size(a) OR a = 1", format!("{operand}: OR, operand type: N")),
        ("NOT size(a)", format!("{operand}: NOT, operand type: N")),
        ("EXISTS(SELECT * FROM T)", "Unsupported token in expression: SELECT at 1:30:6".into()),
        ("NOT EXISTS((SELECT * FROM T)) AND foo(a)", "Unsupported token in expression: SELECT at 1:35:6".into()),
        ("foo(a) AND EXISTS(SELECT * FROM T)", "Unrecognized function: foo at 1:23:3".into()),
        (
            "m.a = m.a",
            "The first operand must be distinct from the remaining operands for this operator or function; operator: \
             =, first operand: [m, a]"
                .into(),
        ),
        // What is not understood comes first, wherever it stands; then operands, then types.
        ("a < true AND a = a AND foo(a)", "Unrecognized function: foo at 1:46:3".into()),
        (
            "a < true AND l[0] = l[0]",
            "The first operand must be distinct from the remaining operands for this operator or function; operator: \
             =, first operand: [l, [0]]"
                .into(),
        ),
    ];
    for (condition, message) in cases {
        check_all(&[(&format!("SELECT * FROM T WHERE {condition}"), &message)]);
    }
}

#[test]
fn limits_of_operators_and_lists() {
    let joined = |count: usize, operator: &str| vec!["a = 1"; count].join(operator);
    let members = |count: usize| vec!["1"; count].join(", ");
    let many = "The expression contains too many operators; operator count: 301";
    check_all(&[
        (&format!("SELECT * FROM T WHERE {}", joined(151, " AND ")), many),
        (&format!("SELECT * FROM T WHERE {}", joined(1000, " OR ")), many),
        (
            &format!("SELECT * FROM T WHERE a IN [{}]", members(101)),
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
        (
            &format!("SELECT * FROM T WHERE a IN [{}, a]", members(101)),
            "The first operand must be distinct from the remaining operands for this operator or function; operator: \
             IN, first operand: [a]",
        ),
    ]);
    assert!(parse(&format!("SELECT * FROM T WHERE {}", joined(150, " AND "))).is_ok());
    assert!(parse(&format!("SELECT * FROM T WHERE NOT {}", joined(150, " AND "))).is_ok());
    assert!(parse(&format!("SELECT * FROM T WHERE NOT NOT {}", joined(150, " AND "))).is_err());
    assert!(parse(&format!("SELECT * FROM T WHERE a IN ({})", members(100))).is_ok());
}

#[test]
fn depth_is_an_error_and_not_a_crash() {
    let texts = [
        format!("SELECT * FROM T WHERE {}", "(".repeat(8000)),
        format!("SELECT * FROM T WHERE {}a", "NOT ".repeat(2000)),
        format!("SELECT * FROM T WHERE a = {}", "[".repeat(8000)),
        format!("SELECT * FROM T WHERE a = {}1", " -".repeat(4000)),
        format!("UPDATE T SET a = 1{}", " + 1".repeat(2000)),
        format!("SELECT * FROM T WHERE a{}", " = a".repeat(1500)),
        format!("INSERT INTO T VALUE {}", "{'a':".repeat(1600)),
        format!("SELECT a{} FROM T", "[a".repeat(4000)),
        format!("SELECT * FROM T WHERE {}", "EXISTS(SELECT a FROM T WHERE ".repeat(250)),
        format!("SELECT * FROM T WHERE {}", "f(".repeat(4000)),
    ];
    for text in texts {
        assert!(parse(&text).is_err(), "{}", &text[..40]);
    }
    assert!(parse(&format!("SELECT * FROM T WHERE {}a = 1{}", "(".repeat(150), ")".repeat(150))).is_ok());
}

#[test]
fn columns_updates_and_returning() {
    check_all(&[
        ("SELECT attribute_exists(ss) FROM T", "Unexpected path component at 1:8:16"),
        ("SELECT COUNT(*) FROM T", "Unexpected path component at 1:8:5"),
        ("SELECT l[-1] FROM T", "List index is not within the allowable range; index: [-1] at 1:11:1"),
        (
            "SELECT l[2147483648] FROM T",
            "List index is not within the allowable range; index: [2147483648] at 1:10:10",
        ),
        (
            "UPDATE T SET t = set_add(ss, <<'x'>>) WHERE pk = 1",
            "The first argument to SET_ADD must equal the assignment value at 1:18:7",
        ),
        (
            "UPDATE T SET ss = set_add(<<'a'>>, <<'b'>>) WHERE pk = 1",
            "The first argument to SET_ADD must equal the assignment value at 1:19:7",
        ),
        (
            "UPDATE T SET ss = set_add(ss, 'x') WHERE pk = 1",
            "The second argument to SET_ADD must be a value with type SET at 1:27:2",
        ),
        (
            "UPDATE T\nSET \"ss\" = set_delete(\"ss\", ['x']) WHERE pk = 1",
            "The second argument to SET_DELETE must be a value with type SET at 2:23:4",
        ),
        ("UPDATE T SET ss = set_add(ss) WHERE pk = 1", "SET_ADD must have exactly two arguments at 1:19:7"),
        ("UPDATE T SET ss = set_add(ss, <<>>) WHERE pk = 1", "Empty bags are not supported"),
        (
            "UPDATE T SET n = 'a' + 1 WHERE pk = 1",
            "Incorrect operand type for operator or function; operator or function: +, operand type: S",
        ),
        (
            "UPDATE T SET n = n - null WHERE pk = 1",
            "Incorrect operand type for operator or function; operator or function: -, operand type: NULL",
        ),
        (
            "UPDATE T SET a.b = 1 REMOVE a WHERE pk = 1",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a, b], \
             path two: [a]",
        ),
        (
            "DELETE FROM T WHERE pk = 'x' RETURNING MODIFIED OLD *",
            "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE \
             statements.",
        ),
    ]);
}
