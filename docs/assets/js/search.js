// The search library reads - : ^ ~ * + as operators and throws on a pasted flag or image name.
// A query goes to the search worker as a message; here it loses these characters on the way.
(() => {
  const QUERY = 2;
  const send = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    const isQuery = message && message.type === QUERY && typeof message.data === "string";
    const plain = isQuery
      ? { ...message, data: message.data.replace(/[-:^~*+\\]+/g, " ").trim() }
      : message;
    return send.call(this, plain, ...rest);
  };
})();
