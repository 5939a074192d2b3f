import AuthModel

/// The texts for forgetting a session, and for undoing that.
enum ForgetWords {
    static var key: String { tr("undo") }
    static var help: String { tr("keep the session that is about to be forgotten") }
    static var nothing: String { tr("there is nothing to undo") }
    static func pending(_ name: SessionName, _ left: String, others: Int) -> String {
        others > 0
            ? tr("{1} and {2} more are forgotten in {3}: U keeps them, one by one", name, others, left)
            : tr("{1} is forgotten in {2}: U keeps it", name, left)
    }
    static func kept(_ name: SessionName) -> String { tr("{1} stays", name) }
    static func stays(_ name: SessionName) -> String {
        tr("{1} is not forgotten yet, and stays if you leave now: press q again to leave", name)
    }
    static var grace: String { tr("For ten seconds it can be undone with U. If the program ends before, the session stays.") }
}
