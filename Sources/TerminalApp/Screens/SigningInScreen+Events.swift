import AuthModel
import Localization
import TerminalAppModel
import TerminalUI

extension SigningInScreen {
    /// Applies an event of the attempt.
    mutating func take(_ event: SignInEvent, at: Timestamp) -> ScreenResult {
        switch event {
        case .planned(let planned): plan(planned)
        case .began(let step): set(step, .running(since: at))
        case .completed(let step):
            let since: Timestamp? = steps.lazy.compactMap { line in
                if line.step.id == step.id, case .running(let since) = line.progress { since } else { nil }
            }.first
            set(step, .done(took: max(.zero, at - (since ?? at))))
        case .hosts(let authorization, let token): hosts = Hosts(authorization: authorization, token: token)
        case .available(.browser(let url, let redirect)):
            signInURL = url
            self.redirect = redirect
            askForShownCode()
            return signUpPage == nil && request.flow != .manual ? openBrowser() : .none
        case .available(.signUpPage(let page)):
            signUpPage = page
            return openBrowser()
        case .available(.paste):
            takesPaste = true
            askForShownCode()
        case .available(.device(let way)): deviceCode = .open(way)
        case .deviceCodeOffered:
            deviceCode = .offered
            showsCode = false
        case .deviceCodeRefused(let reason): remark(SigningInWords.codeRefused(reason), .plain)
        case .available(.sshForward(let command)): forwarding = command
        case .asked(let form): return ask(form)
        case .authenticator(let page): authenticator = page
        case .deadline(let moment): deadline = moment
        case .ignoredCallback(let reason): remark(SigningInWords.ignored(reason), .plain)
        case .warning(let text): remark(Words.sentence(text), .warning)
        case .finished(.success(let session)): return .replace(.welcome(session))
        case .finishedWithoutSession(let end):
            return .replace(.nextStep(NextStep(request, end, accountPage: signUpPage, authenticator: authenticator)))
        case .finished(.failure(let failure)):
            var problem = Problem(SigningInWords.title(request), failure, retry: .signIn(request, typed: typed))
            // A sign-in that never began has no step that failed.
            if steps.contains(where: { $0.progress != .pending }) { problem.steps = steps }
            return .replace(.problem(problem))
        }
        return .none
    }

    mutating func openBrowser() -> ScreenResult {
        guard let url else { return .none }
        browser = .opening
        return .run(.openBrowser(url, request.provider))
    }

    /// Lists the planned steps after those that have already started.
    mutating func plan(_ planned: [SignInStep]) {
        let begun = steps.filter { $0.progress != .pending }
        let rest = planned.filter { step in !begun.contains { $0.step.id == step.id } }
        steps = begun + rest.map { StepLine(step: $0, progress: .pending) }
    }

    mutating func set(_ step: SignInStep, _ progress: StepLine.Progress) {
        if let index = steps.firstIndex(where: { $0.step.id == step.id }) {
            steps[index] = StepLine(step: step, progress: progress)
        } else {
            // A flow's own step comes before the pending ones.
            let index = steps.firstIndex { $0.progress == .pending } ?? steps.endIndex
            steps.insert(StepLine(step: step, progress: progress), at: index)
        }
    }

    mutating func remark(_ text: String, _ tone: Notice.Tone) {
        if let index = remarks.firstIndex(where: { $0.text == text }) {
            remarks[index].times += 1
        } else {
            remarks.append(Note(text: text, tone: tone))
            if remarks.count > Self.remarkLimit { remarks.removeFirst() }
        }
    }
}
