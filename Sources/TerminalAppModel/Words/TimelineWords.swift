import Localization

/// The texts of the timeline.
package enum TimelineWords {
    package static var title: String { tr("Timeline") }
    package static var key: String { tr("timeline") }
    package static var help: String { tr("all sessions on a time axis") }
    /// - Parameter zone: the time zone of the axis.
    package static func span(_ time: String, zone: String) -> String { tr("{1} shown, {2}", time, zone) }
    package static var now: String { tr("now") }
    package static var keyZoomIn: String { tr("zoom in") }
    package static var keyZoomOut: String { tr("zoom out") }
    package static var helpZoomIn: String { tr("show less time in more detail") }
    package static var helpZoomOut: String { tr("show more time") }
    package static var closest: String { tr("cannot zoom in further") }
    package static var widest: String { tr("cannot zoom out further") }
    package static var lifetime: String { tr("access token") }
    package static var renewed: String { tr("renewed") }
    package static var due: String { tr("renewal due") }
    package static var refreshEnd: String { tr("refresh token ends") }
    package static var nothing: String { tr("There are no sessions to show.") }
}
