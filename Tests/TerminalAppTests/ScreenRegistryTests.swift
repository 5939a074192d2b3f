import AuthModel
import Foundation
import TerminalUI
import Testing

@testable import TerminalApp

/// The registry lists every screen; a screen has no other list.
@Suite struct ScreenRegistryTests {
    /// Returns the types that conform to `Screen` in a source text.
    private static func screens(in source: String) -> [String] {
        source.matches(of: /\b(?:struct|class|enum|actor|extension) (\w+)\s*:\s*(?:[\w\s,&]*[\s,&])?(?:Filtered|List|Text)?Screen\s*[,&{]/)
            .map {
                String($0.output.1)
            }
    }

    @Test func everyScreenIsRegisteredOnce() throws {
        let files = try #require(FileManager.default.enumerator(at: SourceTexts.sources, includingPropertiesForKeys: nil))
        var declared: [String] = []
        while let file = files.nextObject() as? URL {
            if file.pathExtension == "swift" { declared += Self.screens(in: try String(contentsOf: file, encoding: .utf8)) }
        }
        #expect(declared.count > 20)
        #expect(ScreenRegistry.screens.map { "\($0)" }.sorted() == declared.sorted())
    }

    @Test(arguments: [
        ("struct A: Screen {", ["A"]), ("extension B: Screen {}", ["B"]), ("struct C: Sendable, Screen, Equatable {", ["C"]),
        ("struct D: ScreenRequest {", []), ("extension Screen {", []), ("func f<S: Screen>(_ s: S) {", []),
    ])
    func findsConformances(source: String, names: [String]) {
        #expect(Self.screens(in: source) == names)
    }

    @Test func namesInTheConfigurationAreUnique() {
        #expect(Set(ScreenRegistry.screens.map { $0.name }).count == ScreenRegistry.screens.count)
    }

    /// A state without sessions has one first screen, and one with sessions another.
    @Test func exactlyOneScreenIsTheFirstOne() throws {
        for state in [Given.loaded(), try Given.firstRun(), try Given.sessions()] {
            #expect(ScreenRegistry.screens.compactMap { $0.home(in: state.model) }.count == 1)
            #expect(state.home.screen.traits(in: state.model).staysFirst)
        }
    }

    @Test func openScreensAndDestinationsAreValues() throws {
        let (work, lab) = (try Sample.name("work/ada"), try Sample.name("lab/grace"))
        #expect(OpenScreen(SessionScreen(work)) == OpenScreen(SessionScreen(work)))
        #expect(OpenScreen(SessionScreen(work)) != OpenScreen(SessionScreen(lab)))
        #expect(OpenScreen(SessionScreen(work)) != OpenScreen(InspectorScreen(work)))
        #expect(Destination.session(work) == .session(work))
        #expect(Destination.session(work) != .inspector(work))
        #expect(Destination.timeline(work) != .timeline(nil))
    }
}
