import AuthModel
import Localization
import TerminalAppModel

/// The texts of the guide to the first session.
enum GuideWords {
    static var title: String { tr("Get started") }
    static var intro: String { tr("No provider is configured yet. Three steps lead to your first session:") }
    static var goOn: String { tr("The provider is configured. Two steps remain to your first session:") }

    static var fromTheShell: String { tr("From the shell:") }
    static func shellCommand(in model: AppModel) -> String {
        model.providers?.first.map { "yett login \($0.name)" } ?? "yett demo; yett providers add URL --client-id ID"
    }

    static var keyDemo: String { tr("demo") }
    static var helpDemo: String { tr("start the demo; you return here when it ends") }
    static var noDemo: String { tr("the demo is already running, or not available here") }
}
