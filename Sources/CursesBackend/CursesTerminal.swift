internal import CTerminal
internal import Glibc
public import TerminalUI

/// A terminal driven by curses. It is confined to the thread of ``run(_:body:)``.
///
/// On every end of that thread or the process (normal end, error, signal, crash or `exit`) the terminal is restored: settings, cursor, main
/// screen, bracketed paste, title. This type never sends a sequence that makes a terminal answer;
/// ``TerminalBackground`` does, before it.
public final class CursesTerminal: Terminal {
    /// The current size in cells.
    public private(set) var size: Size
    /// The glyphs that the terminal can show.
    public let glyphs: GlyphSet
    /// The colour depth in use: the lower of the terminal's depth and the options' limit.
    public let depth: ColorDepth
    /// Makes ``wait(atMost:)`` return; may be called from any thread.
    public let wake: @Sendable () -> Void = { ct_wake() }

    /// The version of curses: `ncurses 6.4.20221231`.
    public static var libraryVersion: String { String(cString: ct_library_version()) }

    let handle: OpaquePointer
    /// The number of the lowest numbers that are ANSI colours if the others are 24-bit colours.
    let ansiColors: Int32
    /// Whether the environment names a locale without UTF-8. Only ASCII is written then.
    let isASCIIOnly: Bool
    var pairs: PairCache
    var faces: [Style: (attributes: UInt32, pair: Int32)] = [:]
    var facesTheme: Theme?
    private var decoder = KeyDecoder()
    /// The input from before the terminal was open.
    private var typed: [KeyDecoder.Item]
    private let owned: Int32?
    private let clipboard: Clipboard?
    private let notices: TerminalNotices?
    private var isClosed = false

    init(_ options: CursesOptions) throws(CursesFailure) {
        let term = options.term ?? getenv("TERM").map { String(cString: $0) }
        let locale = ct_prepare_locale()
        let input: Int32
        let output: Int32
        if let given = options.descriptors {
            (input, output, owned) = (given.input, given.output, nil)
        } else {
            let tty = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
            guard tty >= 0 else { throw .noTerminal }
            (input, output, owned) = (tty, tty, tty)
        }
        ct_report_crashes(options.crashReport?.path, options.crashReport?.text)
        var status = CT_OK
        guard let handle = ct_open(input, output, term, options.description, Self.hasTitle(term: term ?? ""), &status) else {
            if let owned { Glibc.close(owned) }
            throw CursesFailure(status, term: term)
        }
        self.handle = handle
        ansiColors = options.description == nil ? 8 : 16
        isASCIIOnly = locale == CT_LOCALE_OTHER
        glyphs = options.glyphs ?? CursesTerminal.glyphs(term: term ?? "", isASCIIOnly: isASCIIOnly)
        depth = min(options.colorLimit, CursesTerminal.depth(of: handle))
        pairs = PairCache(available: Int(ct_pairs(handle)))
        size = CursesTerminal.measure(handle)
        typed = KeyDecoder.items(typed: options.typed)
        clipboard = options.clipboard
        clipboard?.open()
        notices = options.notices
        notices?.open()
    }

    /// Restores the terminal. No other method may be called afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        clipboard?.close { ct_write(handle, $0.baseAddress, $0.count) }
        notices?.close()
        ct_close(handle)
        if let owned { Glibc.close(owned) }
    }

    deinit { close() }

    /// Waits for events, a wake, or until `limit` has passed. Nil waits without a limit.
    public func wait(atMost limit: Duration?) -> [InputEvent] {
        let reasons = ct_wait(handle, typed.isEmpty ? limit.map(CursesTerminal.milliseconds) ?? -1 : 0)
        clipboard?.writeRequests { ct_write(handle, $0.baseAddress, $0.count) }
        notices?.writeRequests { ct_write(handle, $0.baseAddress, $0.count) }
        func has(_ reason: ct_reason) -> Bool { reasons & UInt32(reason.rawValue) != 0 }
        var events: [InputEvent] = []
        if has(CT_CONTINUED) {
            ct_enter(handle)
            events.append(.resumed)
        }
        if has(CT_RESIZED) || has(CT_CONTINUED), let size = resized() { events.append(.resized(size)) }
        // Curses may have buffered input that the descriptor no longer reports, so it is always asked.
        events += keys()
        if has(CT_STOP_ASKED) { events += stopAndResume() }
        if has(CT_TERMINATED) { events.append(.terminated) }
        return events
    }

    /// Restores the terminal, runs `body`, and takes the terminal over again.
    public func suspended(_ body: () throws -> Void) rethrows {
        ct_leave(handle)
        defer { ct_enter(handle) }
        try body()
    }

    /// Stops the process, as Ctrl-Z does in a shell; returns when it continues.
    public func stop() { ct_stop(handle) }

    /// Turns mouse events on or off; does nothing without a mouse.
    public func useMouse(_ isWanted: Bool) { ct_mouse(handle, isWanted) }

    private func keys() -> [InputEvent] {
        var items = typed
        typed = []
        var value: UInt32 = 0
        reading: while true {
            switch ct_read(handle, &value) {
            case CT_CHARACTER: items.append(.character(value))
            case CT_KEY: items.append(.key(value))
            default: break reading
            }
        }
        return decoder.decode(items).flatMap { event -> [InputEvent] in
            // In raw mode Ctrl-Z does not stop the process, so this code does.
            event == .key(.control("z")) ? stopAndResume() : [event]
        }
    }

    private func stopAndResume() -> [InputEvent] {
        stop()
        return [.resumed] + (resized().map { [.resized($0)] } ?? [])
    }

    private func resized() -> Size? {
        let now = CursesTerminal.measure(handle)
        guard now != size else { return nil }
        size = now
        return now
    }

    private static func measure(_ handle: OpaquePointer) -> Size {
        var columns: Int32 = 0
        var rows: Int32 = 0
        ct_measure(handle, &columns, &rows)
        return Size(columns: Int(columns), rows: Int(rows))
    }

    /// Converts a duration to milliseconds, rounded up, so that a wait never ends just before its time.
    static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 86_400 else { return 86_400_000 }
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// Returns the default glyphs for a terminal. The Linux console and old terminals have few glyphs in their fonts.
    static func glyphs(term: String, isASCIIOnly: Bool) -> GlyphSet {
        let limited = ["linux", "vt", "ansi", "cons25", "sun"]
        return isASCIIOnly || limited.contains { term.hasPrefix($0) } ? .ascii : .unicode
    }

    /// Returns the colour depth: 24 bits if the description has direct colours, as `xterm-direct` has, and every one of ``DirectColors``.
    private static func depth(of handle: OpaquePointer) -> ColorDepth {
        if ct_is_direct(handle) { return .trueColor }
        let colors = ct_colors(handle)
        return colors >= 256 ? .indexed256 : colors >= 8 ? .ansi16 : .mono
    }
}
