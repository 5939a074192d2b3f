#if DEBUG || YETT_FUZZ
    import AuthModel

    @testable import YettCommand

    extension FuzzedReader {
        /// A configuration is read twice as the same, or refused in a line that may be shown.
        static let configuration = FuzzedReader(
            "configuration",
            words: [
                "[", "]", "[[", "]]", "[providers.x]", "[ui]", "[store]", "kind = \"oidc\"", "issuer = ", "client_id = ", "scopes = [",
                "theme = ", "seal = ",
                "=", ".", "\"", "'", "\"\"\"", "'''", "\\", "\\u0000", "\\U0010FFFF", "#", "\n", "\r\n", "\t", "{", "}", ",", "true",
                "false", "inf", "-nan",
                "0x", "0b1", "1979-05-27T07:32:00Z", "07:32:00", "1e5", "1_000", "providers", "extra_params", "from = \"work\"",
            ]
        ) { (input) throws(BrokenProperty) in
            let given = text(input)
            let reader = ConfigurationReader(name: "config.toml", directory: "/etc/yett", home: "/h")
            let configuration: Configuration
            do throws(AuthFailure) {
                configuration = try reader.read(given)
            } catch {
                try BrokenProperty.unless(error.kind == .configuration, "refuses for another reason than it has")
                try FuzzWorld.checkText(of: error)
                return false
            }
            try BrokenProperty.unless((try? reader.read(given)) == configuration, "reads something else the second time")
            try BrokenProperty.unless(
                Set(configuration.providers.map(\.name)).count == configuration.providers.count, "takes two providers of a name")
            return true
        }
    }
#endif
