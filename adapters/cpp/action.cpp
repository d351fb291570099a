/// Bucket management and the Action API: 4.1, 4.2, 5.1 and the query form of 5.3.
#include "digest.hpp"
#include "signing.hpp"
#include "text.hpp"

namespace kit {

namespace {

/// Lists and objects become their items, under `name.place` and `name.name`.
class Flattening {
public:
    explicit Flattening(SortedParameters& into) : into_(into) {}

    void add(const std::string& name, const Value& value) const {
        std::visit([&](const auto& is) { addAs(name, is); }, value.is);
    }

private:
    void addAs(const std::string& name, const std::string& text) const { keep(name, {text, true}); }
    void addAs(const std::string& name, const Number& number) const { keep(name, {plainDecimal(number.digits), false}); }
    void addAs(const std::string& name, bool is) const { keep(name, {is ? "true" : "false", false}); }

    // A silence: this project refuses what it would have to leave out.
    void addAs(const std::string&, const Null&) const {
        throw Refusal("parameter-null", "a parameter is null; section 5.1 has no text for it");
    }

    void addAs(const std::string& name, const List& items) const {
        for (std::size_t place = 0; place < items.size(); ++place) add(name + '.' + std::to_string(place), items[place]);
    }

    void addAs(const std::string& name, const Parameters& members) const {
        for (const auto& member : members) add(name + '.' + member.name, member.value);
    }

    void keep(const std::string& name, Leaf leaf) const {
        if (!into_.emplace(name, std::move(leaf)).second)
            throw Refusal("parameter-repeated", "a parameter is there twice; section 5.1 signs a set");
    }

    SortedParameters& into_;
};

void require(const SortedParameters& sorted, const std::string& name) {
    if (sorted.count(name) == 0) throw Refusal("parameter-missing", "the parameter " + name + ", which section 4 requires, is not there");
}

}  // namespace

SortedParameters sortedParameters(const Parameters& parameters) {
    // step 2: std::string compares bytes, as unsigned ones.
    SortedParameters sorted;
    const Flattening flattening(sorted);
    for (const auto& [name, value] : parameters)
        if (name != "Signature") flattening.add(name, value);  // R2
    return sorted;
}

ActionStages signedParameters(SortedParameters sorted, const std::string& privateKey) {
    std::string stringToSign;
    for (const auto& [name, leaf] : sorted) stringToSign += name + leaf.text;
    stringToSign += privateKey;  // step 4
    std::string signature = hexadecimal(sha1(stringToSign));
    return {std::move(sorted), std::move(stringToSign), std::move(signature)};
}

ActionStages signedAction(const Parameters& parameters, const std::string& privateKey) {
    auto sorted = sortedParameters(parameters);
    require(sorted, "Action");
    require(sorted, "PublicKey");
    return signedParameters(std::move(sorted), privateKey);
}

std::string actionBody(const ActionStages& stages) {
    std::string json = "{";
    for (const auto& [name, leaf] : stages.sorted)
        json += jsonText(name) + ':' + (leaf.isText ? jsonText(leaf.text) : leaf.text) + ',';
    return json + R"("Signature":)" + jsonText(stages.signature) + '}';
}

std::string actionQuery(const ActionStages& stages) {
    std::string query;
    for (const auto& [name, leaf] : stages.sorted) query += urlEncoded(name) + '=' + urlEncoded(leaf.text) + '&';
    return query + "Signature=" + stages.signature;
}

std::string bucketTarget(const ActionStages& stages) {
    if (stages.sorted.at("Action").text == "CreateBucket") {
        require(stages.sorted, "Type");
        require(stages.sorted, "BucketName");
    }
    return "/?" + actionQuery(stages);
}

}  // namespace kit
