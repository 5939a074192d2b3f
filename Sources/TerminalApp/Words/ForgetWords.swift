import AuthModel
import Localization

/// The texts for forgetting a session, and for undoing that.
enum ForgetWords {
    static var key: String { tr("undo") }
    static var help: String { tr("undo forgetting the session") }
    static var nothing: String { tr("nothing to undo") }
    static func pending(_ name: SessionName, _ left: String, others: Int) -> String {
        others > 0
            ? tr("forgetting {1} and {2} more in {3}: press U to undo, one at a time", name, others, left)
            : tr("forgetting {1} in {2}: press U to undo", name, left)
    }
    static func kept(_ name: SessionName) -> String { tr("kept {1}", name) }
    static func stays(_ name: SessionName) -> String {
        tr("{1} is not forgotten yet, and is kept if you quit now: press q again to quit", name)
    }
    static var grace: String { tr("Press U within 10 seconds to undo this. If you quit before, the session is kept.") }
}
