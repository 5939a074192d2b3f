import AuthModel

/// The texts of the timeline.
enum TimelineWords {
    static var title: String { tr("Timeline") }
    static var key: String { tr("timeline") }
    static var help: String { tr("all sessions against the clock") }
    static func span(_ time: String) -> String { tr("{1} in sight, UTC", time) }
    static var now: String { tr("now") }
    static var keyZoomIn: String { tr("closer") }
    static var keyZoomOut: String { tr("wider") }
    static var helpZoomIn: String { tr("less time in sight, in more detail") }
    static var helpZoomOut: String { tr("more time in sight") }
    static var closest: String { tr("it cannot come closer") }
    static var widest: String { tr("there is no wider view") }
    static var lifetime: String { tr("access token") }
    static var renewed: String { tr("renewed") }
    static var due: String { tr("renewal due") }
    static var refreshEnd: String { tr("refresh token ends") }
    static var nothing: String { tr("There is no session to draw.") }
}
