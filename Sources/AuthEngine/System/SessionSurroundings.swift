/// Where this program runs: what decides which ways in are offered first.
public struct SessionSurroundings: Equatable, Sendable {
    /// Whether the person came through SSH, so a browser on this machine is likely not in front of them.
    public var isRemote: Bool
    /// Whether an X11 or Wayland display is there.
    public var hasDisplay: Bool
    /// Whether this is Linux under Windows, where `wslview` reaches the Windows browser.
    public var isWSL: Bool

    public init(isRemote: Bool, hasDisplay: Bool, isWSL: Bool) {
        self.isRemote = isRemote
        self.hasDisplay = hasDisplay
        self.isWSL = isWSL
    }

    /// Read from environment variables.
    public init(environment: [String: String]) {
        func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
        isRemote = isSet("SSH_CONNECTION") || isSet("SSH_TTY")
        hasDisplay = isSet("DISPLAY") || isSet("WAYLAND_DISPLAY")
        isWSL = isSet("WSL_DISTRO_NAME") || isSet("WSL_INTEROP")
    }
}
