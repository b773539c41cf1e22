// Drives a gateway with OpenAI's own client and prints what it got as JSON.
//   node openai.mjs <directory of node_modules> <base URL> <token>
import { createRequire } from "node:module";

const [dir, baseURL, apiKey] = process.argv.slice(2);
const OpenAI = createRequire(dir + "/x.js")("openai").default;
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const got = {};

const models = [];
for await (const m of client.models.list()) models.push(m.id);
got.models = models;

const chat = await client.chat.completions.create({ model: "openclaw", user: "a", messages: [{ role: "user", content: "chat one" }] });
got.chat = chat.choices[0].message.content;
got.chatUsage = chat.usage;

let streamed = "";
for await (const c of await client.chat.completions.create({ model: "openclaw", stream: true, messages: [{ role: "user", content: "chat two" }] }))
  streamed += c.choices[0]?.delta?.content ?? "";
got.chatStream = streamed;

const tools = [{ type: "function", name: "get_weather", description: "the weather", parameters: { type: "object", properties: { city: { type: "string" } } }, strict: false }];
const first = await client.responses.create({ model: "openclaw", input: 'ask !tool get_weather {"city":"Paris"}', tools });
const call = first.output.find((o) => o.type === "function_call");
got.call = call && { name: call.name, arguments: call.arguments };
const second = await client.responses.create({
  model: "openclaw", previous_response_id: first.id, tools,
  input: [{ type: "function_call_output", call_id: call.call_id, output: "sunny" }],
});
got.result = second.output_text;
got.usage = second.usage;

const events = [];
const stream = client.responses.stream({ model: "openclaw", input: 'say two !tool get_weather {"city":"Rome"}', tools });
for await (const e of stream) events.push(e.type);
const last = await stream.finalResponse();
got.events = events;
got.streamCall = last.output.find((o) => o.type === "function_call")?.arguments;

const text = [];
for await (const e of await client.responses.create({ model: "openclaw", input: "say three", stream: true }))
  if (e.type === "response.output_text.delta") text.push(e.delta);
got.streamText = text.join("");

got.file = (await client.responses.create({
  model: "openclaw",
  input: [{ role: "user", content: [
    { type: "input_text", text: "read this" },
    { type: "input_file", filename: "a.txt", file_data: "data:text/plain;base64," + Buffer.from("the words").toString("base64") },
  ] }],
})).output_text;

const vectors = await client.embeddings.create({ model: "openclaw", input: ["one", "two"] });
got.vectors = vectors.data.map((d) => d.embedding);
got.vectorUsage = vectors.usage;

try {
  await client.responses.create({ model: "openclaw", input: [] });
} catch (e) {
  got.refused = [e.status, e.constructor.name, e.message];
}
console.log(JSON.stringify(got));
