package import AuthModel
package import OAuth

extension CurlTransport: StreamingTransport {
    package func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse {
        try RequestCheck.check(request, policy)
        var plan = try plan(request, policy)
        let loop = try startedLoop()
        let ticket = loop.ticket()
        let body = ResponseBody(resume: { loop.resume(ticket) }, cancel: { loop.cancel(ticket) })
        let stream = ResponseStream(body)
        upload?.begin { loop.resume(ticket) }
        (plan.stream, plan.upload, plan.isRaw) = (stream, upload, isRaw)
        let result = await withTaskCancellationHandler {
            loop.start(ticket, plan) { result in
                upload?.end()
                stream.end(result.map { _ in })
            }
            // A cancellation before the start had no transfer to cancel.
            if Task.isCancelled { loop.cancel(ticket) }
            return await stream.response()
        } onCancel: {
            loop.cancel(ticket)
        }
        return try result.get()
    }
}
