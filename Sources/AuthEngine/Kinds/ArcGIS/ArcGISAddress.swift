internal import AuthModel

/// Where things are at a portal and its servers.
enum ArcGISAddress {
    /// The REST root of a portal.
    static func rest(of portal: WebURL, _ path: String) -> WebURL? { WebURL(portal.text + "/sharing/rest" + path) }

    /// The portal or server that an address belongs to: what stands in front of `/sharing` or `/rest`; the origin where neither is there.
    /// `nil` where servers read the path in more than one way.
    static func root(of given: WebURL) -> WebURL? {
        guard let url = given.normalized, !url.hasEncodedSlash else { return nil }
        let path = url.path + "/"
        let end = (path.firstRange(of: "/sharing/") ?? path.firstRange(of: "/rest/"))?.lowerBound
        return WebURL(url.origin.description + (end.map { String(path[..<$0]) } ?? ""))
    }

    /// Whether an address is of the portal's own REST interface; a server may have the same host, and even lie below a portal at its root.
    static func isPortal(_ url: WebURL, _ portal: WebURL) -> Bool {
        WebURL(portal.text + "/sharing").flatMap { depth(of: url, in: $0) } != nil || isSameOnline(url, portal)
    }

    /// How much of `url` lies within `root`; `nil` where it does not.
    static func depth(of url: WebURL, in root: WebURL) -> Int? {
        guard url.lies(in: root) else { return nil }
        return root.path.last == "/" ? root.path.utf8.count - 1 : root.path.utf8.count
    }

    /// Whether two addresses are of the same portal: host without case, and a slash at the end does not count.
    static func isSame(_ left: WebURL, _ right: WebURL) -> Bool {
        func trimmed(_ path: String) -> Substring { path.last == "/" ? path.dropLast() : path[...] }
        return left.origin == right.origin && trimmed(left.path) == trimmed(right.path)
    }

    /// Whether both are of ArcGIS Online, in the same environment: there every host takes the portal's token.
    static func isSameOnline(_ url: WebURL, _ portal: WebURL) -> Bool {
        guard let asked = environment(of: url), let own = environment(of: portal) else { return false }
        return asked == own
    }

    /// `""` for production, `qaext` or `devext` for the others; `nil` for a host that is not of ArcGIS Online.
    private static func environment(of url: WebURL) -> String? {
        let host = url.origin.host
        guard url.origin.scheme == .https, url.origin.port == 443, host == "arcgis.com" || host.hasSuffix(".arcgis.com") else { return nil }
        // Such as www.arcgis.com, services.arcgis.com and org.maps.arcgis.com, beside devext.arcgis.com and org.mapsqa.arcgis.com.
        if host.contains("devext.") || host.contains("mapsdevext.") { return "devext" }
        if host.contains("qaext.") || host.contains("mapsqa.") { return "qaext" }
        return ""
    }
}
