internal import AuthEngine
internal import AuthModel

/// The URLs of a portal and its servers.
enum ArcGISAddress {
    /// Returns the URL of a path below the REST root of a portal.
    static func rest(of portal: WebURL, _ path: String) -> WebURL? { WebURL(portal.text + "/sharing/rest" + path) }

    /// Returns the portal or server that a URL belongs to: the part before `/sharing` or `/rest`, or the origin if the URL has neither.
    /// `nil` if servers read the path in more than one way.
    static func root(of given: WebURL) -> WebURL? {
        guard let url = given.normalized, !url.hasEncodedSlash else { return nil }
        let path = url.path + "/"
        let end = (path.firstRange(of: "/sharing/") ?? path.firstRange(of: "/rest/"))?.lowerBound
        return WebURL(url.origin.description + (end.map { String(path[..<$0]) } ?? ""))
    }

    /// Whether a URL belongs to the portal's own REST interface. A server may have the same host, and may even be below a portal at its
    /// root.
    static func isPortal(_ url: WebURL, _ portal: WebURL) -> Bool {
        WebURL(portal.text + "/sharing").flatMap { depth(of: url, in: $0) } != nil || isSameOnline(url, portal)
    }

    /// Returns the length of the path of `root` in bytes, if `url` is within `root`; else `nil`.
    static func depth(of url: WebURL, in root: WebURL) -> Int? {
        guard url.lies(in: root) else { return nil }
        return root.path.last == "/" ? root.path.utf8.count - 1 : root.path.utf8.count
    }

    /// Whether two URLs are of the same portal. A final slash and the case of the host are ignored.
    static func isSame(_ left: WebURL, _ right: WebURL) -> Bool {
        func trimmed(_ path: String) -> Substring { path.last == "/" ? path.dropLast() : path[...] }
        return left.origin == right.origin && trimmed(left.path) == trimmed(right.path)
    }

    /// Whether both URLs are of ArcGIS Online, in the same environment. There, every host accepts the portal's token.
    static func isSameOnline(_ url: WebURL, _ portal: WebURL) -> Bool {
        guard let asked = environment(of: url), let own = environment(of: portal) else { return false }
        return asked == own
    }

    /// Returns `""` for production, `qaext` or `devext` for the other environments, and `nil` for a host outside ArcGIS Online.
    private static func environment(of url: WebURL) -> String? {
        let host = url.origin.host
        guard url.origin.scheme == .https, url.origin.port == 443, host == "arcgis.com" || host.hasSuffix(".arcgis.com") else { return nil }
        // Production: www.arcgis.com, services.arcgis.com, org.maps.arcgis.com. Others: devext.arcgis.com, org.mapsqa.arcgis.com.
        if host.contains("devext.") || host.contains("mapsdevext.") { return "devext" }
        if host.contains("qaext.") || host.contains("mapsqa.") { return "qaext" }
        return ""
    }
}
