import Glibc

/// The agent's answer, as far as it is the plain case: one whole token, and nothing about it that would have to be thought about.
enum TokenAnswer {
    /// Where the token lies in an answer; `nil` where it is not the plain case, or not whole yet.
    ///
    /// Exactly what the agent writes is taken: status 200, a body of the announced length, and a token first in it, of visible ASCII without quotes.
    static func token(in answer: UnsafeRawBufferPointer) -> Range<Int>? {
        guard starts(answer, 0, "HTTP/1.1 200 "), let head = find("\r\n\r\n", in: answer, from: 0, to: answer.count),
            let field = find("\r\nContent-Length: ", in: answer, from: 0, to: head)
        else { return nil }
        var length = 0
        var index = field + 18
        while index < head, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(answer[index]), length < 1 << 20 {
            length = length * 10 + Int(answer[index] - UInt8(ascii: "0"))
            index += 1
        }
        let body = head + 4
        guard index > field + 18, index == head || answer[index] == UInt8(ascii: "\r"), length > 0, answer.count == body + length,
            starts(answer, body, "{\"token\":\""), answer[answer.count - 1] == UInt8(ascii: "}")
        else { return nil }
        let start = body + 10
        var end = start
        while end < answer.count, (0x21...0x7E).contains(answer[end]), answer[end] != UInt8(ascii: "\""), answer[end] != UInt8(ascii: "\\")
        {
            end += 1
        }
        guard end > start, starts(answer, end, "\",\"token_type\":\"") else { return nil }
        return start..<end
    }

    private static func starts(_ bytes: UnsafeRawBufferPointer, _ index: Int, _ text: StaticString) -> Bool {
        guard index + text.utf8CodeUnitCount <= bytes.count, let base = bytes.baseAddress else { return false }
        return memcmp(base + index, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    private static func find(_ text: StaticString, in bytes: UnsafeRawBufferPointer, from: Int, to end: Int) -> Int? {
        var index = from
        while index + text.utf8CodeUnitCount <= end {
            if starts(bytes, index, text) { return index }
            index += 1
        }
        return nil
    }
}
