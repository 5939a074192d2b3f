import Fuzzing
import Glibc

// yett-fuzz: gives inputs determined by a seed to parsers of untrusted bytes. It stops at the first input that violates a property,
// crashes, hangs or needs too much memory.

do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    try Watch.begin()
    for reader in options.readers {
        let run = try FuzzRun(reader, seed: options.seed)
        if options.shows {
            for number in options.numbers {
                Watch.say(STDOUT_FILENO, "\(reader.name) \(number) \(Hexadecimal.text(run.input(number)))")
            }
            continue
        }
        var watch = Watch(reader: reader.name, seed: options.seed)
        let tally = try await run.over(options.numbers) { try watch.see($0, $1) }
        watch.end()
        let rate = Int(Double(tally.count) / watch.seconds)
        let cost = "\(rate) a second, slowest \(watch.slowest.time) (input \(watch.slowest.number)), peak \(Watch.peakMemory >> 20) MiB"
        Watch.say(STDOUT_FILENO, "\(reader.name): \(tally.count) inputs, \(tally.taken) taken, \(cost)")
    }
} catch let usage as Options.Usage {
    Watch.say(STDERR_FILENO, usage.text)
    exit(64)
} catch let finding as FuzzRun.Finding {
    Watch.say(STDERR_FILENO, "yett-fuzz: \(finding)")
    exit(1)
} catch {
    Watch.say(STDERR_FILENO, "yett-fuzz: \(error)")
    exit(70)
}
