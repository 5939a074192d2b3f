internal import CTerminal
internal import Glibc
public import TerminalUI

/// A terminal through curses. It belongs to the thread of ``run(_:body:)`` and cannot leave it.
///
/// Whatever way that thread or the process takes out of it, normal end, error, signal, crash or `exit`, the terminal is left as it was
/// found: settings, cursor, main screen, bracketed paste. Nothing is ever sent that makes a terminal answer.
public final class CursesTerminal: Terminal {
    public private(set) var size: Size
    public let glyphs: GlyphSet
    /// The colours in use: the least of what the terminal has and what the options allow.
    public let depth: ColorDepth
    public let wake: @Sendable () -> Void = { ct_wake() }

    let handle: OpaquePointer
    /// Whether the environment names a locale that has no UTF-8: then nothing but ASCII is written.
    let isAsciiOnly: Bool
    var pairs: PairCache
    var faces: [Style: (attributes: UInt32, pair: Int32)] = [:]
    var facesTheme: Theme?
    private var decoder = KeyDecoder()
    private let owned: Int32?
    private let clipboard: Clipboard?
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
        guard let handle = ct_open(input, output, term, &status) else {
            if let owned { Glibc.close(owned) }
            throw CursesFailure(status, term: term)
        }
        self.handle = handle
        isAsciiOnly = locale == CT_LOCALE_OTHER
        glyphs = options.glyphs ?? CursesTerminal.glyphs(term: term ?? "", isAsciiOnly: isAsciiOnly)
        depth = min(options.colorLimit, CursesTerminal.depth(of: handle))
        pairs = PairCache(available: Int(ct_pairs(handle)))
        size = CursesTerminal.measure(handle)
        clipboard = options.clipboard
        clipboard?.open()
    }

    /// Gives the terminal back. Nothing may be called afterwards.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        clipboard?.close { ct_write(handle, $0.baseAddress, $0.count) }
        ct_close(handle)
        if let owned { Glibc.close(owned) }
    }

    deinit { close() }

    public func wait(atMost limit: Duration?) -> [InputEvent] {
        let reasons = ct_wait(handle, limit.map(CursesTerminal.milliseconds) ?? -1)
        clipboard?.writeRequests { ct_write(handle, $0.baseAddress, $0.count) }
        func has(_ reason: ct_reason) -> Bool { reasons & UInt32(reason.rawValue) != 0 }
        var events: [InputEvent] = []
        if has(CT_CONTINUED) {
            ct_enter(handle)
            events.append(.resumed)
        }
        if has(CT_RESIZED) || has(CT_CONTINUED), let size = resized() { events.append(.resized(size)) }
        // Curses may hold input that the descriptor no longer announces, so it is asked in any case.
        events += keys()
        if has(CT_STOP_ASKED) { events += stopAndGoOn() }
        if has(CT_TERMINATED) { events.append(.terminated) }
        return events
    }

    public func suspended(_ body: () throws -> Void) rethrows {
        ct_leave(handle)
        defer { ct_enter(handle) }
        try body()
    }

    public func stop() { ct_stop(handle) }

    public func useMouse(_ isWanted: Bool) { ct_mouse(handle, isWanted) }

    private func keys() -> [InputEvent] {
        var items: [KeyDecoder.Item] = []
        var value: UInt32 = 0
        reading: while true {
            switch ct_read(handle, &value) {
            case CT_CHARACTER: items.append(.character(value))
            case CT_KEY: items.append(.key(value))
            default: break reading
            }
        }
        return decoder.decode(items).flatMap { event -> [InputEvent] in
            // In raw mode the terminal does not stop the process, so it has to do that itself.
            event == .key(.control("z")) ? stopAndGoOn() : [event]
        }
    }

    private func stopAndGoOn() -> [InputEvent] {
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

    /// Rounded up, so that a wait never ends just before its time and has to be repeated.
    static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        guard seconds < 86_400 else { return 86_400_000 }
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    /// The Linux console and old terminals have few signs in their fonts.
    static func glyphs(term: String, isAsciiOnly: Bool) -> GlyphSet {
        let limited = ["linux", "vt", "ansi", "cons25", "sun"]
        return isAsciiOnly || limited.contains { term.hasPrefix($0) } ? .ascii : .unicode
    }

    /// 24 bits only where the terminal's description says that a colour number is one, as in `xterm-direct`. `COLORTERM` promises it for
    /// terminals whose description does not, but curses has no safe way to send it then: the 256 colours are chosen with care instead.
    private static func depth(of handle: OpaquePointer) -> ColorDepth {
        if ct_is_direct(handle) { return .trueColor }
        let colors = ct_colors(handle)
        return colors >= 256 ? .indexed256 : colors >= 8 ? .ansi16 : .mono
    }
}
