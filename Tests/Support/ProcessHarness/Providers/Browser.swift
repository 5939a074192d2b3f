/// Programs that a test sets as `$BROWSER`.
public enum Browser {
    /// The folder of the programs installed for the tests, the same as in `Tests/RealProviders`.
    static let cache: String =
        Product.environment("YETT_TEST_CACHE")
        ?? (Product.environment("XDG_CACHE_HOME") ?? (Product.environment("HOME") ?? "") + "/.cache") + "/yett-tests"

    private static let folder = Product.sourceTree + "/Tests/RealProviders/browser"
    private static let python = cache + "/environments/browser/bin/python"

    /// Whether Chromium and its driver are installed.
    public static var isInstalled: Bool {
        Product.installed("chromium") != nil && Product.installed("chromedriver") != nil && isProgram(python)
    }

    /// A program that only follows redirects: enough for a provider that asks nothing.
    public static let following = "'\(folder)/follow'"

    /// Returns the command of a simulated user in Chromium, who signs in and consents as the pages ask.
    /// - Parameters:
    /// - options: options of `person.py`, such as `--deny`.
    /// - log: the file to write its actions to.
    public static func command(_ options: [String] = [], log: String) -> String {
        ([python, "\(folder)/person.py", "--log", log] + options).map { "'\($0)'" }.joined(separator: " ")
    }

    /// Opens a page as a simulated user in Chromium, and waits until that user is finished.
    /// - Returns: the log of the user's actions.
    /// - Throws: if the user gets no further, with the log.
    @discardableResult
    public static func visit(_ url: String, _ options: [String] = [], in home: TemporaryHome) async throws -> String {
        let browser = Program(
            python, ["\(folder)/person.py", "--stay"] + options + [url], environment: home.environment, folder: home.path,
            limit: .seconds(300))
        let result = try await browser.run()
        guard result.status == 0 else { throw HarnessError("the simulated user: \(result)") }
        return result.errors
    }
}
