import AuthModel
import Localization
import TerminalUI

/// The sign-in on a terminal with space for all of it. The steps and the facts have their places from the first frame, so that none moves
/// when a code, a URL or a remark arrives. Only the reason of a failure takes rows, directly below its step. On a low terminal, only the
/// current step has a place, and all the rest scrolls below it, the device code first.
struct SigningInLayout {
    let page: SigningInPage
    let area: Rect

    /// The minimum size of the body; a smaller one shows a document that scrolls.
    private static let minimum = Size(columns: 60, rows: 16)
    /// The minimum number of rows for the steps and the facts above the part that scrolls.
    private static let minimumRowsForFacts = 20
    /// The minimum size for the other sign-in methods beside the steps.
    private static let wide = Size(columns: 100, rows: 20)
    /// The widths of the steps and the other methods. From 120 columns, a usual device code in large letters fits.
    private static let sides: [Extent] = [.share(13), .share(11)]

    /// Creates a layout; nil if the area is too small for it, or something else is shown.
    init?(_ page: SigningInPage, in area: Rect) {
        guard !page.model.isPlain, area.columns >= Self.minimum.columns, area.rows >= Self.minimum.rows, page.screen.pasteForm == nil,
            !page.screen.showsCode, !page.screen.showsAddress
        else { return nil }
        self.page = page
        self.area = area
    }

    /// Returns the number of scroll positions of the part that scrolls.
    var scrollPositions: Int {
        let places = places
        return methods(in: places.methods).scrollPositions(in: places.methods.size)
    }

    func draw(into buffer: inout ScreenBuffer) {
        let places = places
        heading.draw(in: places.heading, into: &buffer)
        if isWide {
            buffer.draw(Panel(tr("Steps"), surface: .screen), in: places.left)
            buffer.draw(Panel(SigningInWords.otherMethods, surface: .screen), in: places.right)
        }
        drawSteps(in: places.steps, into: &buffer)
        if !isLow {
            if !isWide { failure.draw(in: places.failure, into: &buffer) }
            facts(columns: places.facts.columns, hasWholeURL: wholeURL(in: places.remarks) != nil).draw(in: places.facts, into: &buffer)
        }
        drawMethods(places, into: &buffer)
    }

    private var heading: Document {
        var heading = Document()
        heading.words([Document.Span(page.instruction, .accent, .bold)])
        // In the demo, the password stays in sight.
        if let advice = page.model.demoAdvice(for: page.screen.request) { heading.words(Words.sentence(advice), .warning) }
        return heading
    }

    // MARK: Places

    /// Whether the other methods are beside the steps.
    private var isWide: Bool { area.columns >= Self.wide.columns && area.rows >= Self.wide.rows }

    /// Whether only the current step has a place.
    private var isLow: Bool { area.rows < Self.minimumRowsForFacts }

    private struct Places {
        var heading: Rect
        /// The boxes of a wide layout.
        var left = Rect(Size.zero)
        var right = Rect(Size.zero)
        var steps: Rect
        /// The area for the reason of a failure that does not fit beside its step.
        var failure = Rect(Size.zero)
        var facts: Rect
        var methods: Rect
        /// The area for the remarks on a wide layout, and for a text to copy, without a box around it.
        var remarks = Rect(Size.zero)
        var copied = Rect(Size.zero)
    }

    private var places: Places {
        // A narrow terminal wraps the password of the demo.
        let (heading, rest) = area.splitTop(max(2, rows(self.heading, area)))
        let count = page.screen.steps.count
        guard !isLow else {
            let (steps, methods) = rest.splitTop(2)
            return Places(heading: heading, steps: steps, facts: Rect(Size.zero), methods: methods)
        }
        guard isWide else {
            let (steps, belowSteps) = rest.splitTop((count + 1) / 2)
            let (failure, below) = belowSteps.splitTop(rows(self.failure, rest) + 1)
            let (facts, methods) = below.splitTop(Self.factRows + 1)
            return Places(heading: heading, steps: steps, failure: failure, facts: facts, methods: methods)
        }
        let (boxes, copied) = rest.splitBottom(rows(self.copied, rest))
        let sides = boxes.split(columns: Self.sides)
        let inside = Panel().content(of: sides[0])
        let (steps, below) = inside.splitTop(rows(list(of: page.screen.steps[...], columns: inside.columns), inside) + 1)
        let (facts, remarks) = below.splitTop(Self.factRows + 1)
        return Places(
            heading: heading, left: sides[0], right: sides[1], steps: steps, facts: facts,
            methods: Panel().content(of: sides[1]), remarks: remarks, copied: copied)
    }

    // MARK: Steps and facts

    /// Draws the steps: in one column with the reasons of failures, or in two; on a low terminal the current one.
    private func drawSteps(in area: Rect, into buffer: inout ScreenBuffer) {
        guard !isLow else {
            let step = list(of: currentStep, columns: SigningInPage.timeColumn)
            return step.draw(in: area.inset(columns: Document.margin), into: &buffer)
        }
        let columns = isWide ? 1 : 2
        let rows = (page.screen.steps.count + columns - 1) / columns
        let place = isWide ? area : area.inset(columns: Document.margin)
        let parts = place.split(columns: Array(repeating: .share(1), count: columns), gap: 2)
        for (index, part) in parts.enumerated() {
            list(of: page.screen.steps.dropFirst(index * rows).prefix(rows), columns: part.columns).draw(in: part, into: &buffer)
        }
    }

    /// The step that failed or runs; between two steps, the one that ended last.
    private var currentStep: ArraySlice<SigningInScreen.StepLine> {
        let steps = page.screen.steps
        let current = steps.firstIndex { $0.progress != .pending && !$0.progress.isDone }
        let last = steps.lastIndex { $0.progress.isDone }
        return steps.dropFirst(current ?? last ?? 0).prefix(1)
    }

    private func list(of steps: ArraySlice<SigningInScreen.StepLine>, columns: Int) -> Document {
        var list = Document()
        list.hasMargin = false
        for line in steps { page.add(line, to: &list, column: columns, hasReason: isWide) }
        return list
    }

    /// The reason why a step failed, where it is not beside the step.
    private var failure: Document {
        var failure = Document()
        failure.hasMargin = !isWide
        if !isWide || !page.stepsHaveReasons { page.addFailure(to: &failure) }
        return failure
    }

    /// The text to copy, without a box around it.
    private var copied: Document {
        var copied = Document()
        page.addForwarding(to: &copied)
        page.addAuthenticator(to: &copied)
        return copied
    }

    /// The rows of ``facts(columns:hasWholeURL:)``, with the blank one before the bar.
    private static let factRows = 6

    /// The hosts, the callback, the address and the time left. Each has its row before it is known.
    ///
    /// - Parameter hasWholeURL: whether the whole address is below, so that its part would be a repetition.
    private func facts(columns: Int, hasWholeURL: Bool = false) -> Document {
        var facts = Document()
        facts.hasMargin = !isWide
        let screen = page.screen
        let width = [SigningInWords.signInAt, SigningInWords.callbackURL, SigningInWords.address, SigningInWords.asksFor].reduce(0) {
            max($0, SafeText.width(of: $1) + 2)
        }
        let unknown = Document.Span(page.glyphs.ellipsis, .muted)
        // One row each: a value that wraps would move what is below it.
        func add(_ name: String, _ value: [Document.Span]?) {
            let gap = String(repeating: " ", count: width - SafeText.width(of: name))
            facts.blocks.append(.row([Document.Span(name + gap, .muted)] + (value ?? [unknown]), indent: 0))
        }
        add(SigningInWords.signInAt, page.hostSpans)
        add(SigningInWords.callbackURL, screen.redirect.map { [Document.Span($0, .muted)] })
        let room = columns - width - (facts.hasMargin ? 2 * Document.margin : 0)
        let address = screen.url.map { url in
            Document.Span.link(url, FittedText(url.text, columns: room, cut: .middle, ellipsis: page.glyphs.ellipsis).text)
        }
        add(SigningInWords.address, hasWholeURL ? [Document.Span(SigningInWords.inFullBelow, .muted)] : address.map { [$0] })
        add(SigningInWords.asksFor, screen.asksFor.map { [Document.Span($0, .muted)] })
        page.addCountdown(to: &facts)
        return facts
    }

    // MARK: Other methods

    private func drawMethods(_ places: Places, into buffer: inout ScreenBuffer) {
        methods(in: places.methods).draw(in: places.methods, scroll: page.screen.scroll, into: &buffer)
        guard isWide else { return }
        let remarks = remarks(in: places.remarks)
        remarks.draw(in: places.remarks, into: &buffer)
        drawGate(in: places.remarks.inset(top: rows(remarks, places.remarks)), into: &buffer)
        copied.draw(in: places.copied, into: &buffer)
    }

    /// The reason of a failure and the remarks, then what is asked for, and the whole URL last.
    private func remarks(in place: Rect) -> Document {
        var remarks = remarksAlone
        let whole = wholeURL(in: place)
        addRequest(to: &remarks, in: place.inset(bottom: whole.map { rows($0, place) + 1 } ?? 0))
        guard let whole else { return remarks }
        remarks.blank()
        remarks.blocks += whole.blocks
        return remarks
    }

    private var remarksAlone: Document {
        var remarks = failure
        page.addRemarks(to: &remarks)
        return remarks
    }

    /// The whole URL if no browser opened it and there is space beside the other methods; nil if not. The URL is for copying, not for reading.
    private func wholeURL(in place: Rect) -> Document? {
        guard isWide, let url = page.screen.url, !page.screen.browser.isOpen else { return nil }
        var whole = Document()
        whole.hasMargin = false
        whole.verbatim(.link(url, as: .muted))
        return rows(remarksAlone, place) + 1 + rows(whole, place) <= place.rows ? whole : nil
    }

    /// Draws the gate where there is space, lifted by a part of its height for each step that is done. A large space has a large gate,
    /// unless there is a problem to read or no browser opened.
    private func drawGate(in area: Rect, into buffer: inout ScreenBuffer) {
        let steps = page.screen.steps
        let done = steps.count { $0.progress.isDone }
        let isTrouble = steps.contains { $0.progress == .failed } || !page.screen.browser.isOpen
        if area.rows >= Self.largeGateRows, !steps.isEmpty, !isTrouble {
            LoweredGate(share: 1 - Double(done) / Double(steps.count + 1)).draw(in: area.inset(top: 1), into: &buffer)
            return
        }
        guard area.rows >= GatePicture.rows + 2, area.columns >= GatePicture.columns else { return }
        let place = Rect(
            column: area.left + (area.columns - GatePicture.columns) / 2, row: area.top + (area.rows - GatePicture.rows) / 2,
            columns: GatePicture.columns, rows: GatePicture.rows)
        GatePicture(lift: done).drawAlone(in: place, of: &buffer)
    }

    private static let largeGateRows = 15

    /// Adds what is asked for and what protects it, if a device code has its place beside the steps and there is space.
    private func addRequest(to remarks: inout Document, in place: Rect) {
        guard page.screen.device != nil else { return }
        var explained = remarks
        page.addRequest(to: &explained)
        if rows(explained, place) <= place.rows { remarks = explained }
    }

    /// The keys of the other methods, the device code, and the QR code if all of it fits.
    private func methods(in area: Rect) -> Document {
        guard !isLow else { return everything(in: area) }
        // The largest QR code counts first, then the large letters, then the list of keys, which the footer has too.
        let texts = texts(in: area)
        guard let device = page.screen.device, page.glyphs != .ascii else {
            var explained = texts
            if isWide {
                page.addRequest(to: &explained)
            } else {
                // The footer is too short for all of them.
                explained.blank()
                explained.words(SigningInWords.otherMethods, .muted)
                page.addKeys(to: &explained)
            }
            return rows(explained, area) <= area.rows ? explained : texts
        }
        let large = self.texts(in: area, hasLetters: true)
        let (largeAlone, alone) = (self.texts(in: area, hasLetters: true, hasKeys: false), self.texts(in: area, hasKeys: false))
        // Without the empty rows, both still fit on many terminals.
        let tight = self.texts(in: area, hasLetters: true, hasKeys: false, isTight: true)
        var best: (scale: Int, page: Document)?
        for (texts, isTight) in [(large, false), (largeAlone, false), (tight, true), (texts, false), (alone, false)] {
            var withCode = texts
            let columns = area.columns - (texts.hasMargin ? 2 * Document.margin : 0)
            let room = Size(columns: columns, rows: area.rows - rows(texts, area) - (isTight ? 1 : 2))
            guard room.rows > 0, let lines = QRPicture(device.qrCode)?.lines(in: room) else { continue }
            page.addCode(lines, of: device, isTight: isTight, to: &withCode)
            let scale = lines[0].count
            if rows(withCode, area) <= area.rows, scale > best?.scale ?? 0 { best = (scale, withCode) }
        }
        if let best { return best.page }
        return rows(large, area) <= area.rows ? large : texts
    }

    /// All that scrolls on a low terminal: what still works directly below why the browser did not start, then the facts, then the steps.
    private func everything(in area: Rect) -> Document {
        var all = failure
        all.blocks += texts(in: area).blocks
        for part in [facts(columns: area.columns), list(of: page.screen.steps[...], columns: SigningInPage.timeColumn)] {
            all.blank()
            all.blocks += part.blocks
        }
        return all
    }

    private func rows(_ document: Document, _ area: Rect) -> Int { document.rows(columns: area.columns).count }

    /// - Parameters:
    ///   - hasLetters: whether the device code is in large letters too.
    ///   - hasKeys: whether the keys are listed with what they do.
    ///   - isTight: whether no empty row is above the large letters.
    private func texts(in area: Rect, hasLetters: Bool = false, hasKeys: Bool = true, isTight: Bool = false) -> Document {
        var methods = Document()
        if isWide {
            methods.hasMargin = false
            if hasKeys { page.addKeys(to: &methods) }
            methods.blank()
        }
        let columns = hasLetters ? area.columns - (isWide ? 0 : 2 * Document.margin) : 0
        if let device = page.screen.device { page.addDevice(device, hasOwnRow: isWide, columns: columns, isTight: isTight, to: &methods) }
        if !isWide {
            page.addForwarding(to: &methods)
            if page.hasOtherMethods, page.screen.takesPaste {
                methods.blank()
                methods.words(SigningInWords.orPaste(isCode: page.screen.takesShownCode))
            }
            page.addAuthenticator(to: &methods)
            page.addRemarks(to: &methods)
        }
        return methods
    }
}
