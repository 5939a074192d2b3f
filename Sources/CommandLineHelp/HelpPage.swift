/// A help page as structured content; the source of both `yett help` (``text(width:)``) and the man pages (``roff(version:date:)``).
package struct HelpPage: Equatable, Sendable {
    /// The section of the manual (man-pages(7)).
    package enum Section: Int, Sendable {
        case commands = 1
        case files = 5
        case overviews = 7
    }

    package enum Block: Equatable, Sendable {
        case heading(String)
        case paragraph(String)
        /// Terms, each with its meaning.
        case terms([Term])
        /// Lines shown verbatim.
        case code([String])
    }

    package struct Term: Equatable, Sendable {
        package var word: String
        package var meaning: String

        package init(_ word: String, _ meaning: String) {
            self.word = word
            self.meaning = meaning
        }
    }

    /// The name for `yett help`, such as `configuration` or `providers add`.
    package var name: String
    package var section: Section
    /// The summary: a clause without a full stop.
    package var summary: String
    package var blocks: [Block]

    /// Creates a page.
    ///
    /// - Parameter examples: what a user can copy, each with what it does: a command line, or lines of a file. They come last.
    package init(name: String, section: Section, summary: String, blocks: [Block], examples: KeyValuePairs<String, String>) {
        self.name = name
        self.section = section
        self.summary = summary
        self.blocks = blocks
        guard !examples.isEmpty else { return }
        self.blocks.append(.heading(Self.examplesHeading))
        for (text, meaning) in examples {
            self.blocks += [.paragraph(meaning), .code(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))]
        }
    }

    /// The heading above the examples.
    package static let examplesHeading = "Examples"

    /// The name in the manual, such as `yett-providers-add`.
    package var manualName: String {
        name == "yett" ? name : "yett-" + name.replacing(" ", with: "-")
    }
}
