#if DEBUG || YETT_FUZZ
    import AuthModel
    import TOML
    import TerminalUI
    import Themes

    @testable import CommandLineTool
    @testable import UserConfiguration

    extension FuzzedReader {
        /// A configuration is read twice with the same result, or refused with a printable error. An edit changes only what was requested.
        static let configuration = FuzzedReader(
            "configuration",
            words: tomlWords + [
                "[providers.x]", "[ui]", "[store]", "kind = \"oidc\"", "issuer = ", "client_id = ", "scopes = [", "theme = ", "seal = ",
                "providers", "extra_params", "from = \"work\"",
            ]
        ) { (input) throws(BrokenProperty) in
            let given = text(input)
            let reader = ConfigurationReader(name: "config.toml", directory: "/etc/yett", home: "/h", rules: .standard)
            let configuration: Configuration
            do throws(AuthFailure) {
                configuration = try reader.read(given)
            } catch {
                try BrokenProperty.unless(error.kind == .configuration, "refuses for another reason than it has")
                try FuzzFixture.checkText(of: error)
                return false
            }
            try BrokenProperty.unless((try? reader.read(given)) == configuration, "reads something else the second time")
            try BrokenProperty.unless(
                Set(configuration.providers.map(\.name)).count == configuration.providers.count, "takes two providers of a name")
            try checkEdits(of: given, reading: configuration, with: reader)
            return true
        }

        private static func checkEdits(
            of given: String, reading configuration: Configuration, with reader: ConfigurationReader
        ) throws(BrokenProperty) {
            var themed = configuration
            themed.interface.theme = "plain"
            themed.interface.isThemeSet = true
            var editor = TOMLEditor(given)
            try? editor.set("theme", in: ["ui"], to: TOMLText.quoted("plain"))
            try BrokenProperty.unless((try? reader.read(editor.text)) == themed, "a theme is not set, or more than that")
            for provider in configuration.providers {
                var rest = configuration
                rest.providers.removeAll { $0.name == provider.name }
                var editor = TOMLEditor(given)
                try? editor.remove(table: ["providers", provider.name.text])
                try BrokenProperty.unless((try? reader.read(editor.text)) == rest, "a provider is not removed, or more than that")
            }
        }

        /// A theme is read twice with the same result, and each of its errors is printable.
        static let theme = FuzzedReader(
            "theme",
            words: tomlWords + [
                "[palette]", "[roles]", "[surfaces]", "summary = ", "color = ", "attributes = [\"bold\"]", "\"#d8d2c4\"", "default",
            ],
            seeds: Themes.all.map(\.content)
        ) { (input) throws(BrokenProperty) in
            let given = text(input)
            let definition: ThemeDefinition
            do throws(AuthFailure) {
                definition = try ThemeFile(given, name: "own", file: "own.toml").definition
            } catch {
                try BrokenProperty.unless(error.kind == .configuration, "refuses for another reason than it has")
                try FuzzFixture.checkText(of: error)
                return false
            }
            try BrokenProperty.unless(
                (try? ThemeFile(given, name: "own", file: "own.toml"))?.definition == definition, "reads something else the second time")
            for problem in definition.problems {
                try FuzzFixture.checkText(of: AuthFailure(problem, in: "own.toml"))
            }
            return definition.problems.isEmpty
        }
    }
#endif
