/// A page of the manual, as what it says. One source for `yett help` and for the man pages: ``text(width:)`` and ``roff(version:)``.
struct HelpPage: Equatable, Sendable {
    /// Where a page stands in the manual (man-pages(7)).
    enum Section: Int, Sendable {
        case commands = 1
        case files = 5
        case overviews = 7
    }

    enum Block: Equatable, Sendable {
        case heading(String)
        case paragraph(String)
        /// Words, and what each means.
        case terms([Term])
        /// Lines to be shown as they are.
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

    /// The name it is asked for by, such as `configuration` or `providers add`.
    var name: String
    var section: Section
    /// What it is about: a clause without a full stop.
    var summary: String
    var blocks: [Block]

    /// The name in the manual, such as `yett-providers-add`.
    var manualName: String {
        name == "yett" ? name : "yett-" + name.replacing(" ", with: "-")
    }
}
