import Localization

/// The texts of the help screen.
package enum HelpWords {
    package static var mouse: String { tr("Mouse") }
    package static var mouseActions: [(action: String, effect: String)] {
        [
            (tr("click"), tr("selects a row or a field; a second click chooses the row")),
            (tr("click on a key"), tr("presses that key, in the bottom line")), (tr("wheel"), tr("moves or scrolls")),
            (tr("drag with Shift"), tr("selects text to copy")),
        ]
    }
    package static var title: String { tr("Help") }
    package static func keysOf(_ subject: String) -> String { tr("Keys here: {1}", subject) }
    package static var everywhere: String { tr("Keys everywhere") }
    package static var states: String { tr("What the states mean") }
    package static var bars: String { tr("What the bars mean") }
    package static var timeLeft: String { tr("time left, from a minute to a day; about each tenth of the bar doubles it") }
    package static var nextRenewal: String { tr("when the session is renewed") }
    package static var uses: String { tr("tokens issued in the last 24 hours, the newest at the right") }
    /// Returns the reason without the advice after its colon, which is shown when the key is pressed.
    package static func notNow(_ reason: String) -> String { tr("not now: {1}", reason.split(separator: ": ", maxSplits: 1).first ?? "") }
}
