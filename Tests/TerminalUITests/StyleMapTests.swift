import Foundation
import TerminalUI
import TestSupport
import Testing

/// Compares the face of every role on every surface at every colour depth, for each theme, with `StyleMaps/THEME.txt`.
///
/// If `YETT_RECORD` is set, the test writes the files instead and fails, so that a developer reviews what was recorded.
struct StyleMapTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "StyleMaps")
    private static let isRecording = ProcessInfo.processInfo.environment["YETT_RECORD"] != nil

    @Test(arguments: ShippedThemes.names)
    func themeMatchesItsRecordedStyleMap(name: String) throws {
        let file = Self.folder.appending(path: name + ".txt")
        let text = Self.map(of: try ShippedThemes.theme(name))
        if Self.isRecording {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        #expect(!Self.isRecording, "recorded: look at what changed, and run again without YETT_RECORD")
    }

    @Test func everyStyleMapBelongsToATheme() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(ShippedThemes.names.map { $0 + ".txt" }))
    }

    /// One section for each depth and surface, and one line for each role: foreground, background, attributes.
    private static func map(of theme: Theme) -> String {
        ColorDepth.allCases.reversed().flatMap { depth in
            Surface.allCases.map { surface in
                let lines = Role.allCases.map { role in
                    let face = theme.face(for: Style(role, on: surface), depth: depth)
                    let words = [
                        column(role.rawValue), column(word(face.foreground)), column(word(face.background)), word(face.attributes),
                    ]
                    return words.joined().trimmingCharacters(in: .whitespaces)
                }
                return (["── \(depth), \(surface.rawValue)"] + lines).joined(separator: "\n") + "\n"
            }
        }.joined(separator: "\n")
    }

    private static func column(_ text: String) -> String { text.padding(toLength: 12, withPad: " ", startingAt: 0) }

    private static func word(_ value: Face.Value?) -> String {
        switch value {
        case nil: "default"
        case .indexed(let index): "\(index)"
        case .direct(let color): String(format: "#%02x%02x%02x", color.red, color.green, color.blue)
        }
    }

    private static func word(_ attributes: Attributes) -> String {
        let names: [(Attributes, String)] = [
            (.bold, "bold"), (.dim, "dim"), (.italic, "italic"), (.underline, "underline"), (.reverse, "reverse"),
        ]
        return names.filter { attributes.contains($0.0) }.map(\.1).joined(separator: " ")
    }
}
