import CTerminal
import Glibc
import Synchronization
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
    /// The count of the lowest numbers that are ANSI colours if the others are 24-bit colours.
    let ansiColors: Int32
    /// Whether the environment names a locale without UTF-8. Only ASCII is written then.
    let isASCIIOnly: Bool
    let showsLinks: Bool
    /// The attributes that the terminal has.
    let knownAttributes: Attributes
    var pairs: ColorPairCache
    var faces: [Style: DrawnFace] = [:]
    var facesTheme: Theme?
    /// The content of each cell of the terminal, as of the last frame.
    var shown: [ColorOrderedFrame.Cell] = []
    private var decoder = KeyDecoder()
    /// The input before the terminal was open.
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
        showsLinks = options.showsLinks
        knownAttributes = CursesTerminal.known()
        pairs = ColorPairCache(available: Int(ct_pairs(handle)))
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

    /// Opens the terminal, runs `body` on a thread of its own, and restores the terminal when `body` returns or throws.
    ///
    /// The caller waits without blocking a thread. If its task is cancelled, the terminal reports ``TerminalUI/InputEvent/terminated``.
    ///
    /// - Throws: ``CursesFailure`` if the terminal cannot be opened, and any error of `body`.
    public static func run<Result: Sendable>(
        _ options: CursesOptions = CursesOptions(), body: @escaping @Sendable (inout CursesTerminal) throws -> Result
    ) async throws -> Result {
        let isCancelled = CancelFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let started = startThread {
                    do {
                        var terminal = try CursesTerminal(options)
                        defer { terminal.close() }
                        // A cancellation before the terminal was open had no effect on it.
                        if isCancelled.isSet { ct_ask_to_end() }
                        let result = try body(&terminal)
                        // The caller may write to standard output at once, so the terminal must be restored first.
                        terminal.close()
                        continuation.resume(returning: result)
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
                if !started { continuation.resume(throwing: CursesFailure.refused) }
            }
        } onCancel: {
            isCancelled.set()
            ct_ask_to_end()
        }
    }

    private final class CancelFlag: Sendable {
        private let flag = Mutex(false)
        var isSet: Bool { flag.withLock { $0 } }
        func set() { flag.withLock { $0 = true } }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let status = pthread_create(
            &thread, nil,
            { pointer in
                guard let pointer else { return nil }
                Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// The maximum length of a title in glyphs.
    private static let titleLimit = 80

    /// Sets the title of the terminal's window (OSC 2). Restoring the terminal restores the former title. Does nothing on a terminal that
    /// would show the sequence as text.
    public func show(title: String) {
        Array(SafeText.line(title, limit: Self.titleLimit).utf8).withUnsafeBytes { ct_title(handle, $0.baseAddress, $0.count) }
    }

    /// Returns whether a terminal understands titles, and saves and restores them (XTWINOPS 22 and 23), or ignores what it does not
    /// understand. The consoles of Linux and BSD, and most old terminals, would show the title on the screen.
    static func hasTitle(term: String) -> Bool {
        let families = [
            "xterm", "tmux", "screen", "rxvt", "foot", "alacritty", "kitty", "wezterm", "ghostty", "st", "konsole", "vte", "gnome",
            "contour", "mlterm", "iterm", "iTerm2.app",
        ]
        // screen names the terminal around it behind a dot: screen.xterm-256color.
        return families.contains { term == $0 || term.hasPrefix($0 + "-") } || term.hasPrefix("screen.")
    }
}
