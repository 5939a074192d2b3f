/// The identifier of one sign-in run in this process, so that a late report is not applied to another run.
package struct RunID: Hashable, Sendable {
    package var number: Int

    /// Creates the identifier of a run.
    package init(number: Int) { self.number = number }
}
