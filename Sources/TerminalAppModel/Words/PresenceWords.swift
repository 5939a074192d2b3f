package import AuthModel
import Localization

/// The texts of the header's right end, and of the line above the keys.
package enum PresenceWords {
    package static var agent: String { tr("agent") }
    package static var locked: String { tr("locked") }
    package static func working(_ count: Int) -> String { tr("{1} ok", count) }

    /// - Parameter time: relative: `in 41 min`.
    package static func nextEnd(_ name: SessionName, _ time: String) -> String { tr("{1} ends {2}", name.description, time) }
    package static func nextRenewal(_ name: SessionName, _ time: String) -> String { tr("{1} renews {2}", name.description, time) }
    /// - Parameter time: relative: `in 4 min 30 s`.
    package static func endsSoon(_ name: SessionName, _ time: String) -> String {
        tr("{1} ends {2}, and cannot be renewed.", name.description, time)
    }
    package static func signedIn(_ name: SessionName) -> String { tr("Signed in: {1}", name.description) }
    package static func lastUse(_ program: String, _ name: SessionName, _ time: String) -> String {
        tr("{1} used {2} {3}", program, name.description, time)
    }
}
