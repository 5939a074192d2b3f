import AuthModel
import Fuzzing
import Sandbox

/// One test case with the hostile provider: the operation and the damage, determined by a seed and a number.
package struct HostileTestCase: Sendable, CustomStringConvertible {
    /// The number of the test case in its run.
    package let number: Int
    /// The operation that the client performs.
    package let scene: Scene
    let damages: [ResponseDamage]
    let faults: [Fault]
    /// Whether the damage is harmless, so that the client must accept it.
    let isHarmless: Bool

    /// Derives the test case from the seed and its number.
    package init(seed: UInt64, number: Int) {
        var generator = SeededGenerator(seed: seed, input: UInt64(number))
        self.number = number
        scene = generator.pick(Scene.allCases + [.browser, .browser, .proof, .renewal])
        isHarmless = generator.below(12) == 0
        if isHarmless {
            damages = [ResponseDamage.variation(at: scene.places, using: &generator)]
            faults = []
        } else if generator.below(6) == 0, let fault = scene.fault(using: &generator) {
            damages = generator.below(2) == 0 ? [] : [ResponseDamage.random(at: scene.places, using: &generator)]
            faults = [fault]
        } else {
            // Mostly one change, so that most responses are nearly valid.
            let count = generator.below(4) == 0 ? 2 : 1
            var list: [ResponseDamage] = []
            for _ in 0..<count { list.append(ResponseDamage.random(at: scene.places, using: &generator)) }
            damages = list
            faults = []
        }
    }

    package var description: String {
        "\(scene) \(number): " + (damages.map(\.description) + faults.map(\.name)).joined(separator: ", ")
    }
}
