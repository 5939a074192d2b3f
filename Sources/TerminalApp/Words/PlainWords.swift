import Localization

/// The texts that only the plain-prompt mode uses; it shares all others with the screens.
enum PlainWords {
    static var welcome: String { tr("Plain prompts: type a number or the name of a key, then Enter. ? shows all keys, q quits.") }
    static func keys(_ keys: String) -> String { tr("Keys: {1}", keys) }
    static var filter: String { tr("number, or search words") }
    static func number(_ count: Int) -> String { tr("type a number from 1 to {1}, or the name of a key", count) }
    static var key: String { tr("type the name of a key, such as ? or esc") }
    static var seen: String { tr("the input was visible and was not accepted: type it again") }
    static var notAsked: String { tr("this input is no longer needed") }
    static var noReveal: String { tr("text shown here cannot be masked again: use yett token") }
}
