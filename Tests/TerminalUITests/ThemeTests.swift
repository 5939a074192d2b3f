import Glibc
import TerminalUI
import TestSupport
import Testing
import Themes

struct ShippedThemeTests {
    @Test func everyThemeFileIsRegisteredAndEveryEntryHasAFile() throws {
        let folder = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 } + "/Themes"
        let directory = try #require(opendir(folder))
        defer { closedir(directory) }
        var names: Set<String> = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name.hasSuffix(".toml") { names.insert(String(name.dropLast(5))) }
        }
        #expect(Set(Themes.all.map(\.name)) == names)
        #expect(Themes.all.first?.name == "gate")
        #expect(Themes.all.count == names.count)
    }

    @Test(arguments: Themes.all.map(\.name))
    func themeDefinesEveryRoleWithAVisibleColour(name: String) throws {
        let theme = try ShippedThemes.theme(name)
        #expect(!theme.summary.isEmpty)
        for role in Role.allCases {
            for surface in Surface.allCases {
                for depth in ColorDepth.allCases {
                    let face = theme.face(for: Style(role, on: surface), depth: depth)
                    #expect(
                        face.foreground == nil || face.foreground != face.background, "\(role) cannot be seen on \(surface) at \(depth)")
                }
            }
        }
    }

    /// Text has a contrast of 4.5:1 (WCAG AA) in the coloured themes and 7:1 (AAA) in `contrast`, in true colour and with 256 colours.
    /// Borders and the empty part of a bar are decoration.
    @Test(arguments: ShippedThemes.coloured, [ColorDepth.trueColor, .indexed256])
    func textContrastMeetsWCAG(theme: (name: String, least: Double), depth: ColorDepth) throws {
        let look = try ShippedThemes.theme(theme.name)
        let ornaments: [Role] = theme.name == "contrast" ? [] : [.border, .barEmpty]
        for surface in Surface.allCases {
            for role in Role.allCases where !ornaments.contains(role) {
                let face = look.face(for: Style(role, on: surface), depth: depth)
                let contrast = try #require(face.contrast)
                #expect(contrast >= theme.least, "\(role) on \(surface): \(contrast)")
            }
        }
    }

    @Test func selectionIsVisibleWithoutColours() throws {
        for name in Themes.all.map(\.name) {
            let theme = try ShippedThemes.theme(name)
            #expect(theme.face(for: Style(on: .selection), depth: .mono).attributes.contains(.reverse))
            #expect(theme.face(for: Style(.danger), depth: .mono).attributes != [])
            #expect(theme.face(for: Style(), depth: .mono) == Face())
        }
    }
}

struct ThemeDefinitionTests {
    private func definition(
        roles: [ThemeItem] = [], surfaces: [ThemeItem] = [], palette: [ThemeItem] = [], more: [ThemeItem] = []
    ) -> ThemeDefinition {
        func complete(_ given: [ThemeItem], _ names: [String]) -> [ThemeItem] {
            given + names.filter { name in !given.contains { $0.key == name } }.map { ThemeItem($0, .string("default")) }
        }
        return ThemeDefinition(
            name: "test",
            items: [
                ThemeItem("summary", .string("a test")), ThemeItem("palette", .table(palette)),
                ThemeItem("roles", .table(complete(roles, Role.allCases.map(\.rawValue)))),
                ThemeItem("surfaces", .table(complete(surfaces, Surface.allCases.map(\.rawValue)))),
            ] + more)
    }

    @Test func readsColoursFallbacksAndAttributes() throws {
        let theme = try definition(
            roles: [
                ThemeItem("title", .table([ThemeItem("color", .string("lamp")), ThemeItem("attributes", .list([.string("bold")]))])),
                ThemeItem("muted", .string("#808080")),
            ],
            surfaces: [ThemeItem("selection", .table([ThemeItem("color", .string("#00005f")), ThemeItem("text", .string("lamp"))]))],
            palette: [ThemeItem("lamp", .list([.string("#FFAA00"), .integer(214), .string("bright_yellow")]))]
        ).checked()
        let orange = try #require(Color(hex: "#ffaa00"))
        #expect(theme.face(for: Style(.title), depth: .trueColor) == Face(foreground: .direct(orange), attributes: .bold))
        #expect(theme.face(for: Style(.title), depth: .indexed256).foreground == .indexed(214))
        #expect(theme.face(for: Style(.title), depth: .ansi16).foreground == .indexed(11))
        #expect(theme.face(for: Style(.title), depth: .mono) == Face(attributes: .bold))
        #expect(theme.face(for: Style(.muted), depth: .indexed256).foreground == .indexed(244), "the nearest where none is given")
        #expect(theme.face(for: Style(.muted), depth: .ansi16).foreground == .indexed(8))
        #expect(
            theme.face(for: Style(.muted, on: .selection), depth: .indexed256) == Face(foreground: .indexed(214), background: .indexed(17)))
    }

    @Test(
        arguments: [
            (ThemeItem("titel", .string("default"), line: 4), "line 4: roles has no key \"titel\"", "did you mean title?"),
            (ThemeItem("title", .string("lmap"), line: 5), "line 5: roles.title: \"lmap\" is no colour", "did you mean \"lamp\"?"),
            (
                ThemeItem("title", .string("#12345"), line: 6), "line 6: roles.title: \"#12345\" is no colour",
                "write \"#rrggbb\", \"default\", or a name from [palette]"
            ),
            (
                ThemeItem("title", .integer(3), line: 7), "line 7: roles.title is a number",
                "write a colour, or a table such as { color = \"#d8d2c4\" }"
            ),
            (
                ThemeItem("title", .table([ThemeItem("attributes", .list([.string("blink")]), line: 8)])),
                "line 8: roles.title.attributes has an unknown attribute", "the attributes are bold, dim, italic, underline, reverse"
            ),
            (
                ThemeItem("title", .table([ThemeItem("colour", .string("lamp"), line: 9)])), "line 9: roles.title has no key \"colour\"",
                "did you mean color?"
            ),
            (ThemeItem("title\u{1B}[2J", .string("x"), line: 1), "line 1: roles has no key \"title�[2J\"", nil),
        ] as [(ThemeItem, String, String?)])
    func reportsMistakesWithHints(item: ThemeItem, description: String, hint: String?) throws {
        let problem = try #require(
            definition(roles: [item], palette: [ThemeItem("lamp", .string("#e8b566"))]).problems.first)
        #expect(problem.description == description)
        if let hint { #expect(problem.hint == hint) }
    }

    @Test(
        arguments: [
            (.string("red"), "palette.lamp does not begin with a colour"), (.list([]), "palette.lamp does not begin with a colour"),
            (.list([.string("#ffffff"), .integer(256)]), "palette.lamp has a fallback that is none"),
            (.list([.string("#ffffff"), .string("pink")]), "palette.lamp has a fallback that is none"),
        ] as [(ThemeValue, String)])
    func reportsInvalidColours(value: ThemeValue, summary: String) {
        #expect(definition(palette: [ThemeItem("lamp", value)]).problems.map(\.summary) == [summary])
    }

    @Test func reportsEverythingThatIsMissing() {
        let problems = ThemeDefinition(name: "empty", items: []).problems
        #expect(problems.count == 1 + Role.allCases.count + Surface.allCases.count - 2, "alert and paper are optional")
        #expect(definition(more: [ThemeItem("rolse", .integer(1), line: 2)]).problems.map(\.hint) == ["did you mean roles?"])
        #expect(throws: ThemeProblem.self) { try ThemeDefinition(name: "empty", items: []).checked() }
    }

    @Test func contrastFollowsWCAG() throws {
        let black = try #require(Color(hex: "#000000"))
        let white = try #require(Color(hex: "#ffffff"))
        let grey = try #require(Color(hex: "#767676"))
        #expect(abs(black.contrast(with: white) - 21) < 0.001)
        #expect(abs(grey.contrast(with: white) - 4.54) < 0.005, "the lightest grey that is AA on white")
        #expect(grey.contrast(with: grey) == 1)
    }
}
