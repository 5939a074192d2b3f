/// The parts of an agent's answer to a command: standard output, standard error and the exit status.
struct AgentCommandResponse {
    let status: Int32
    /// The byte range of standard output.
    let output: Range<Int>
    /// The byte range of standard error.
    let diagnostics: Range<Int>

    /// Parses the answer; returns `nil` if the command was not run.
    init?(_ answer: AgentResponse, in bytes: UnsafeRawBufferPointer) {
        guard answer.status == 200, let status = answer.number(of: "\r\nYett-Exit-Status: ", in: bytes),
            let length = answer.number(of: "\r\nYett-Output-Length: ", in: bytes), length <= answer.body.count, status < 256
        else { return nil }
        self.status = Int32(status)
        output = answer.body.lowerBound..<(answer.body.lowerBound + length)
        diagnostics = output.upperBound..<answer.body.upperBound
    }
}
