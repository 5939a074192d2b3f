package import AuthModel
import Localization

/// The texts for forgetting a session, and for undoing that.
package enum ForgetWords {
    package static var key: String { tr("undo") }
    package static var help: String { tr("undo forgetting the session") }
    package static var nothing: String { tr("nothing to undo") }
    package static func pending(_ name: SessionName, _ left: String, others: Int) -> String {
        others > 0
            ? tr("forgetting {1} and {2} more in {3}: press U to undo, one at a time", name, others, left)
            : tr("forgetting {1} in {2}: press U to undo", name, left)
    }
    package static func kept(_ name: SessionName) -> String { tr("kept {1}", name) }
    package static func stays(_ name: SessionName) -> String {
        tr("{1} is not forgotten yet, and is kept if you quit now: press q again to quit", name)
    }
    package static var grace: String { tr("Press U within 10 seconds to undo this. If you quit before, the session is kept.") }
}
