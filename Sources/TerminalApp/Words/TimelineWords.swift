import AuthModel
import Localization

/// The texts of the timeline.
enum TimelineWords {
    static var title: String { tr("Timeline") }
    static var key: String { tr("timeline") }
    static var help: String { tr("all sessions on a time axis") }
    static func span(_ time: String) -> String { tr("{1} shown, UTC", time) }
    static var now: String { tr("now") }
    static var keyZoomIn: String { tr("zoom in") }
    static var keyZoomOut: String { tr("zoom out") }
    static var helpZoomIn: String { tr("show less time in more detail") }
    static var helpZoomOut: String { tr("show more time") }
    static var closest: String { tr("cannot zoom in further") }
    static var widest: String { tr("cannot zoom out further") }
    static var lifetime: String { tr("access token") }
    static var renewed: String { tr("renewed") }
    static var due: String { tr("renewal due") }
    static var refreshEnd: String { tr("refresh token ends") }
    static var nothing: String { tr("There are no sessions to show.") }
}
