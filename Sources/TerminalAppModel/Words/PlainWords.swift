import Localization

/// The texts that only the plain-prompt mode uses; it shares all others with the screens.
package enum PlainWords {
    package static var welcome: String { tr("Plain prompts: type a number or the name of a key, then Enter. ? shows all keys, q quits.") }
    package static func keys(_ keys: String) -> String { tr("Keys: {1}", keys) }
    package static var filter: String { tr("number, or search words") }
    package static func number(_ count: Int) -> String { tr("type a number from 1 to {1}, or the name of a key", count) }
    package static var key: String { tr("type the name of a key, such as ? or esc") }
    package static var seen: String { tr("the input was visible and was not accepted: type it again") }
    package static var notAsked: String { tr("this input is no longer needed") }
    package static var noReveal: String { tr("text shown here cannot be masked again: use yett token") }
}
