/// A help page as structured content; the source of both `yett help` (``text(width:)``) and the man pages (``roff(version:)``).
struct HelpPage: Equatable, Sendable {
    /// The section of the manual (man-pages(7)).
    enum Section: Int, Sendable {
        case commands = 1
        case files = 5
        case overviews = 7
    }

    enum Block: Equatable, Sendable {
        case heading(String)
        case paragraph(String)
        /// Terms, each with its meaning.
        case terms([Term])
        /// Lines shown verbatim.
        case code([String])
    }

    struct Term: Equatable, Sendable {
        var word: String
        var meaning: String

        init(_ word: String, _ meaning: String) {
            self.word = word
            self.meaning = meaning
        }
    }

    /// The name for `yett help`, such as `configuration` or `providers add`.
    var name: String
    var section: Section
    /// The summary: a clause without a full stop.
    var summary: String
    var blocks: [Block]

    /// The name in the manual, such as `yett-providers-add`.
    var manualName: String {
        name == "yett" ? name : "yett-" + name.replacing(" ", with: "-")
    }
}
