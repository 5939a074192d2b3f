/// The texts that only the plain-prompt mode uses; it shares all others with the screens.
enum PlainWords {
    static var welcome: String { tr("Plain prompts: type a number or the name of a key, then Enter. ? shows all keys, q leaves.") }
    static func keys(_ keys: String) -> String { tr("Keys: {1}", keys) }
    static var filter: String { tr("number, or words to look for") }
    static func number(_ count: Int) -> String { tr("type a number from 1 to {1}, or the name of a key", count) }
    static var key: String { tr("type the name of a key, such as ? or esc") }
    static var seen: String { tr("that was seen while it was typed, so it is not taken: type it again") }
    static var notAsked: String { tr("nobody asks for that any more") }
    static var noReveal: String { tr("what is said here cannot be masked again: use yett token") }
}
